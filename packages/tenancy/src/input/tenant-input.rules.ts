import { textInput } from '@callout/domain/input/input-schemas';
import { operatorInput, perHourInput, readOperatorInput, smallIdInput } from './operator-input.rules.ts';

/** The keys of a tenant that operators set. */
export interface TenantSettings {
  /** Unique in the installation. */
  readonly name: string;
  readonly zoneId: number;
  /** Callouts per entity in any 3,600 s; null is the installation's default, 0 none. */
  readonly calloutThreshold: number | null;
  /** What happens near that threshold. */
  /** API requests per hour; null is the installation's default, 0 none. */
  readonly apiRequestsPerHour: number | null;
}

/** A tenant to be created; without a zone, the tenant gets the default zone. */
export type TenantCreate = Pick<TenantSettings, 'name'> & Partial<TenantSettings>;

const input = operatorInput({
  name: textInput(100),
  zoneID: smallIdInput,
  calloutThreshold: perHourInput,
  apiRequestsPerHour: perHourInput,
});

export function parseTenantCreate(body: unknown): TenantCreate {
  const { zoneID, ...settings } = readOperatorInput(body, input, ['name']);
  return zoneID === undefined ? settings : { ...settings, zoneId: zoneID };
}

export function parseTenantChanges(body: unknown): Partial<TenantSettings> {
  const { zoneID, ...changes } = readOperatorInput(body, input);
  return zoneID === undefined ? changes : { ...changes, zoneId: zoneID };
}

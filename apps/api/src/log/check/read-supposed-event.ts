import type { Catalogue, EntityDefinition } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import { knownKeys } from '@callout/core/input';
import type { SimulationReader } from '@callout/db/log';
import { readEvent, type GivenEvent, type OnUnknownField } from '../../ingest/events/read-event.ts';
import type { UserDefinedFieldDeps, UserDefinedFields } from '../../tenants/udf/user-defined-fields.ts';
import { judged } from '../../http/route/read-parameters.ts';
import type { SupposedEvent } from './simulate.ts';

/** What simulations need. */
export interface SimulationRouteDeps extends UserDefinedFieldDeps {
  readonly catalogue: Catalogue;
  readonly maxBodyBytes: number;
  readonly simulation: SimulationReader;
  /** The `User-Agent` of callouts. */
  readonly userAgent: string;
}

/** The keys of a hypothetical event. */
export const eventKeys = knownKeys({
  entityType: null,
  action: null,
  id: null,
  resourceID: null,
  eventTime: null,
  fields: null,
  userDefinedFields: null,
  changedFields: null,
});

/** Reads an event as `POST /EntityEvents` would, except that the webhook says of which entity it is. */
export function readSupposedEvent(
  { catalogue }: Pick<SimulationRouteDeps, 'catalogue'>,
  entity: EntityDefinition,
  udfs: UserDefinedFields,
  given: GivenEvent,
  personId: number,
  onUnknownField: OnUnknownField,
): SupposedEvent {
  const { entityType } = entity;
  const named = given['entityType'] ?? entityType;
  if (typeof named !== 'string' || named.toLowerCase() !== entityType.toLowerCase()) {
    throw Problem.invalid(`entityType must be ${entityType}, which the webhook watches, or be left out`, 'entityType');
  }
  const context = { catalogue, userDefinedFieldsOf: () => udfs, personId };
  const event = judged((problems) => readEvent({ ...given, entityType }, '', context, problems, onUnknownField));
  if (event === undefined || event.recordId === null) throw new Error('an event without a record was read');
  return { ...event, recordId: event.recordId };
}

import type { Database } from '@callout/database/connection/database';
import { type Installation, openForTest, prepareInstallation } from '@callout/testing';
import { DRILL_PREFIX, DRILL_SETTINGS } from './faults/servers.ts';
import { type DrillServices, startDrillServices } from './faults/services.ts';
import { createSlot, type Slot } from './faults/slot.ts';
import type { OnStop } from './traffic/drill-tenant.ts';

/** A zone of the drill: an installation with servers of its own. */
export interface DrillZone {
  readonly name: string;
  readonly services: DrillServices;
  readonly installation: Installation;
  readonly database: Database;
  readonly api: Slot;
  readonly worker: Slot;
}

/** Starts an installation that knows both zones by their names. */
export async function startZone(name: string, all: readonly string[], onStop: OnStop): Promise<DrillZone> {
  const services = await startDrillServices();
  onStop(() => services.stop());
  const installation = await prepareInstallation({ ...services, redisPrefix: DRILL_PREFIX, settings: DRILL_SETTINGS });
  onStop(() => installation.stop());
  const api = createSlot(installation, 'api', `API of ${name}`);
  const worker = createSlot(installation, 'worker', `worker of ${name}`);
  await Promise.all([api.start(), worker.start()]);
  const database = openForTest(services.databaseUrl);
  onStop(() => database.close());
  for (const zone of all) {
    const isDefault = zone === name;
    await database.prisma.zone.create({ data: { name: zone, url: `https://${zone}.example`, webUrl: '', isDefault } });
  }
  return { name, services, installation, database, api, worker };
}

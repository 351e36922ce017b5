import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countingValues } from '@callout/database/fixtures/counting-values';
import { anEvent, insertTenant } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createDisposableDatabase } from '@callout/local/test-run';
import { openIngest, type IngestSetup } from '@callout/pipeline/fixtures/ingest';
import { forNewestEvents } from './newest-events.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

describe('the newest events of an entity', () => {
  it.each([
    [100, 35, 35],
    [20, 35, 20],
    [100, 20, 20],
    [5, 35, 5],
    [100, 0, 0],
  ])('are passed on, newest first: of %i at most and %i that there are, %i', async (most, stored, expected) => {
    const tenantId = await insertTenant(rig.database.pool);
    for (let recordId = 1; recordId <= stored; recordId += 1) await rig.take(tenantId, anEvent({ recordId }));
    await rig.take(tenantId, anEvent({ entityType: 'Contact' }));
    const { pool, rows } = countingValues(rig.database.pool);
    const found: number[] = [];
    const search = { pool, timeoutMs: 60_000 };
    await forNewestEvents(search, { tenantId, entityType: 'Account' }, most, ({ recordId }) => found.push(recordId));
    expect(found).toEqual(Array.from({ length: expected }, (_, nth) => stored - nth));
    expect(Math.max(...rows)).toBeLessThanOrEqual(10);
  });
});

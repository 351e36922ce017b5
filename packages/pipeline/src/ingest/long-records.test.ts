import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { itemsOf, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

const most = 256 * 1024;
/** The JSON of a record with only one user-defined field. */
const around = '{}{"1":""}'.length;
const long = (length: number) => values({ 1: 'x'.repeat(length - around) });
/** Events that each give one short value of a record that is already long. */
const changesOf = (recordId: number, count: number) =>
  Array.from({ length: count }, (_, nth) => anEvent({ recordId, fields: values({ city: `Oslo ${nth}` }) }));

describe('a record', () => {
  it('may have 262144 characters of JSON, and not one more', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const write = (udfFields: Record<string, string | null>) =>
      rig.take(tenantId, anEvent({ fields: values({}), udfFields: values(udfFields) }));
    expect(itemsOf(await write(long(most)))).toMatchObject([{ status: 'accepted' }]);
    const refused = { kind: 'refused', index: 0, problem: { kind: 'invalid', details: [{ code: 'tooLong' }] } };
    expect(await write(long(most + 1))).toMatchObject(refused);
    // All known values count, not only those of one event.
    expect(await write({ 2: 'y' })).toMatchObject(refused);
    expect(itemsOf(await write({ ...long(most - 100), 2: 'y' }))).toMatchObject([{ status: 'accepted' }]);
    expect(await rig.storedEvents(tenantId)).toHaveLength(2);
  });
});

describe('a long column', () => {
  it('is compressed with the fastest method of the server', async () => {
    const { pool } = rig.database;
    const tenantId = await insertTenant(pool);
    await rig.take(tenantId, anEvent({ fields: values({}), udfFields: long(10_000) }));
    const { rows } = await pool.query<{ used: string; has: boolean }>(
      `SELECT pg_column_compression(e.udf_fields) AS used, 'lz4' = ANY (s.enumvals) AS has
       FROM events e, pg_settings s WHERE e.tenant_id = $1 AND s.name = 'default_toast_compression'`,
      [tenantId],
    );
    expect(rows).toEqual([{ used: rows[0]?.has === true ? 'lz4' : 'pglz', has: expect.any(Boolean) }]);
  });
});

describe('many events of a long record', () => {
  it('are refused together when they would store more than 32 MiB, since each stores all known values', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, anEvent({ recordId: 1, fields: values({}), udfFields: long(most - 1000) }));
    const refused = await rig.take(tenantId, ...changesOf(1, 129));
    expect(refused).toMatchObject({ kind: 'refused', index: null, problem: { kind: 'tooLarge' } });
    expect(await rig.storedEvents(tenantId)).toHaveLength(1);
    expect(itemsOf(await rig.take(tenantId, ...changesOf(1, 100)))).toHaveLength(100);
  });

  it('of several requests need separate commits', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const tell = (recordId: number) => anEvent({ recordId, fields: values({}), udfFields: long(most - 1000) });
    await rig.take(tenantId, tell(1), tell(2));
    const requests = [1, 2].map((recordId) => ({ tenantId, events: changesOf(recordId, 70) }));
    await expect(rig.commit(requests)).rejects.toThrow('too much for one commit');
    expect(await rig.storedEvents(tenantId)).toHaveLength(2);
    for (const request of requests) expect(itemsOf((await rig.commit([request])).results[0])).toHaveLength(70);
  });
});

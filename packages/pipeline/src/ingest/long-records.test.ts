import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { itemsOf, named, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { countingValues } from '@callout/database/fixtures/counting-values';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createIngestCommit } from './ingest.ts';
import type { IngestResult } from './request.rules.ts';

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

describe('many long records', () => {
  const count = 140;
  const recordIds = Array.from({ length: count }, (_, nth) => nth + 1);
  const eventOf = (recordId: number, eventKey: string | null = null) => {
    const fields = values({ city: 'Oslo' });
    return anEvent({ recordId, fields, ...(eventKey !== null && { ...named(eventKey, eventKey), fields }) });
  };
  /** As many events make them, without the work of ingesting these. */
  const grow = (tenantId: number) =>
    rig.database.pool.query(
      "UPDATE records SET udf_fields = jsonb_build_object('1', repeat('x', 260000)) WHERE tenant_id = $1",
      [tenantId],
    );
  const tooLarge = { kind: 'refused', index: null, problem: { kind: 'tooLarge' } };
  const statuses = (result: IngestResult | undefined) => new Set(itemsOf(result).map(({ status }) => status));

  it('of one request are refused before they are read, also when nothing of them would change', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const events = recordIds.map((recordId) => eventOf(recordId));
    await rig.take(tenantId, ...events);
    await grow(tenantId);
    expect(await rig.take(tenantId, ...events)).toMatchObject(tooLarge);
    expect(statuses(await rig.take(tenantId, ...events.slice(0, 120)))).toEqual(new Set(['unchanged']));
  });

  it('are not asked for by the events of a request that are accepted already', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const events = recordIds.map((recordId) => eventOf(recordId, `key-${recordId}`));
    const made = itemsOf(await rig.take(tenantId, ...recordIds.map((recordId) => eventOf(recordId + 1000))));
    await rig.take(tenantId, ...events);
    await grow(tenantId);
    expect(statuses(await rig.take(tenantId, ...events))).toEqual(new Set(['duplicate']));
    // Posted without an eventID, and repeated with those that the service made.
    const again = made.map(({ recordId, eventId }) => eventOf(recordId, eventId));
    expect(statuses(await rig.take(tenantId, ...again))).toEqual(new Set(['duplicate']));
    const { items } = { items: itemsOf(await rig.take(tenantId, ...events, eventOf(1), eventOf(2))) };
    expect(items.slice(count)).toMatchObject([{ status: 'unchanged' }, { status: 'unchanged' }]);
  });

  it('are read once when they are not long', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const events = recordIds.map((recordId) => eventOf(recordId));
    await rig.take(tenantId, ...events);
    const { pool, rows } = countingValues(rig.database.pool);
    const { results } = await createIngestCommit(pool)([{ tenantId, events }]);
    expect(statuses(results[0])).toEqual(new Set(['unchanged']));
    // The statements: BEGIN, that of all commits, that of many records, and COMMIT.
    expect(rows).toEqual([0, 0, count, 0]);
  });

  it('do not let repeats of many events read the values of all of them at once', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const made = itemsOf(await rig.take(tenantId, ...recordIds.map((recordId) => eventOf(recordId))));
    const { pool, rows } = countingValues(rig.database.pool);
    const repeats = made.map(({ recordId, eventId }) => eventOf(recordId, eventId));
    const { results } = await createIngestCommit(pool)([{ tenantId, events: repeats }]);
    expect(statuses(results[0])).toEqual(new Set(['duplicate']));
    expect(rows.reduce((sum, count) => sum + count)).toBe(count);
    expect(Math.max(...rows)).toBeLessThanOrEqual(100);
  });

  it('are not asked for by a request whose response is stored, and refuse no request beside it', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const events = recordIds.map((recordId) => eventOf(recordId));
    const ofKey = (key: string) => ({
      tenantId,
      events,
      idempotencyKey: {
        credentialId: tenantId,
        route: 'POST /EntityEvents',
        key,
        requestHash: Buffer.from('hash'),
        response: { kind: 'batch', remarks: {}, ofEvents: [] } as const,
      },
    });
    await rig.commit([ofKey('first')]);
    await grow(tenantId);
    const { results } = await rig.commit([ofKey('first'), ofKey('second'), { tenantId, events: [eventOf(9)] }]);
    expect(results).toMatchObject([{ kind: 'repeated' }, tooLarge, { kind: 'accepted' }]);
    // A refused request leaves its key free.
    await rig.database.pool.query("UPDATE records SET udf_fields = '{}' WHERE tenant_id = $1", [tenantId]);
    expect((await rig.commit([ofKey('second')])).results).toMatchObject([{ kind: 'accepted' }]);
  });

  it('of several requests need separate commits', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const events = recordIds.map((recordId) => eventOf(recordId));
    await rig.take(tenantId, ...events);
    await grow(tenantId);
    const halves = [events.slice(0, 70), events.slice(70)].map((half) => ({ tenantId, events: half }));
    await expect(rig.commit(halves)).rejects.toThrow('too much for one commit');
    for (const half of halves) expect(statuses((await rig.commit([half])).results[0])).toEqual(new Set(['unchanged']));
  });
});

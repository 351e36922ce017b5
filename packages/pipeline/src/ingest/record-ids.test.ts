import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { itemsOf, openIngest, type IngestSetup } from '../fixtures/ingest.ts';
import { anEvent, insertTenant, values } from '@callout/database/fixtures/tenant';
import { applyMigrations } from '@callout/database/schema/migrations';
import { createIngestCommit } from './ingest.ts';
import type { QueryConfig } from 'pg';
import type { IngestEvent } from './request.rules.ts';

let rig: IngestSetup;

beforeAll(async () => {
  rig = openIngest(await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) }));
});
afterAll(() => rig.close());

describe('record ids', () => {
  const create = (recordId: number | null) =>
    anEvent({ action: 'Create', expects: 'absent', recordId, fields: values({ companyName: 'Ant' }) });

  it('increase, above any id that a caller chose', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const ids = async (...events: IngestEvent[]) => itemsOf(await rig.take(tenantId, ...events)).map((i) => i.recordId);
    expect(await ids(create(null), create(null))).toEqual([1, 2]);
    expect(await ids(create(40))).toEqual([40]);
    expect(await ids(create(7))).toEqual([7]);
    expect(await ids(create(null), create(100), create(null))).toEqual([101, 100, 102]);
  });

  it('are distinct also when another process chose an id in between', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    const other = createIngestCommit(rig.database.pool);
    expect(itemsOf(await rig.take(tenantId, create(5)))).toMatchObject([{ recordId: 5 }]);
    const { results } = await other([{ tenantId, events: [create(null)] }]);
    expect(itemsOf(results[0])).toMatchObject([{ recordId: 6 }]);
    expect(itemsOf(await rig.take(tenantId, create(null)))).toMatchObject([{ recordId: 7 }]);
  });
});

describe('daily numbers', () => {
  const ticket = (recordId: number | null = null) =>
    anEvent({
      entityType: 'Ticket',
      action: 'Create',
      expects: 'absent',
      recordId,
      fields: values({ title: 'Printer' }),
      dailyNumbers: [{ field: 'ticketNumber', prefix: 'T' }],
    });
  const numbers = async (tenantId: number) => {
    const { rows } = await rig.database.pool.query<{ number: string }>(
      `SELECT fields ->> 'ticketNumber' AS number FROM records WHERE tenant_id = $1 ORDER BY 1`,
      [tenantId],
    );
    return rows.map(({ number }) => number);
  };

  it('are counted for each tenant, also with ids that callers chose, and by all processes together', async () => {
    const [first, second] = [await insertTenant(rig.database.pool), await insertTenant(rig.database.pool)];
    const other = createIngestCommit(rig.database.pool);
    const taken = [rig.take(first, ticket(), ticket(70)), rig.take(first, ticket())];
    const elsewhere = Promise.all(Array.from({ length: 5 }, () => other([{ tenantId: first, events: [ticket()] }])));
    for (const results of await Promise.all(taken)) expect(itemsOf(results)).not.toHaveLength(0);
    for (const { results } of await elsewhere) expect(itemsOf(results[0])).toHaveLength(1);
    await rig.take(second, ticket());
    const [one] = await numbers(second);
    expect(one).toMatch(/^T20\d{6}\.0001$/u);
    const nths = (await numbers(first)).map((number) => number.slice(-4));
    expect(nths).toEqual(['0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008']);
  });

  it('begin anew on the next day, and cost no statement beside that for ids', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, ticket());
    await rig.database.pool.query(
      `UPDATE counters SET next_id = 202001010000042 WHERE tenant_id = $1 AND collection = 'numbers:Ticket.ticketNumber'`,
      [tenantId],
    );
    const statements: (string | undefined)[] = [];
    const counted = new Proxy(rig.database.pool, {
      get: (target, name) =>
        name === 'query'
          ? (query: QueryConfig) => {
              statements.push(query.name);
              return target.query(query);
            }
          : (Reflect.get(target, name) as unknown),
    });
    const commit = createIngestCommit(counted);
    const [, { results }] = [
      await commit([{ tenantId, events: [ticket()] }]),
      await commit([{ tenantId, events: [ticket()] }]),
    ];
    expect(itemsOf(results[0])).toHaveLength(1);
    expect((await numbers(tenantId)).map((number) => number.slice(-4))).toEqual(['0001', '0001', '0002']);
    expect(statements.filter((name) => name === 'ingest_raise_counters')).toHaveLength(2);
  });
});

describe('ids that callers choose while they are being assigned', () => {
  const create = (recordId: number | null, companyName: string) =>
    anEvent({ action: 'Create', expects: 'absent', recordId, fields: values({ companyName }) });

  const insertSix = `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
    VALUES ($1, 'Account', 6, 1, '{"companyName":"theirs"}', '{}')`;
  const six = async (tenantId: number) => {
    const { rows } = await rig.database.pool.query<{ fields: unknown }>(
      'SELECT fields FROM records WHERE tenant_id = $1 AND id = 6',
      [tenantId],
    );
    return rows;
  };

  it('go to the record that is stored first, and the other record gets another id', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, create(5, 'five'));
    const theirs = await rig.database.pool.connect();
    await theirs.query('BEGIN');
    await theirs.query(insertSix, [tenantId]);
    const ours = rig.take(tenantId, create(null, 'ours'));
    const isWaiting = `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
      AND transactionid = pg_current_xact_id()::xid`;
    while ((await theirs.query(isWaiting)).rowCount === 0);
    await theirs.query('COMMIT');
    theirs.release();
    expect(itemsOf(await ours)).toMatchObject([{ recordId: 7 }]);
    expect(await six(tenantId)).toEqual([{ fields: { companyName: 'theirs' } }]);
  });

  it('are replaced also when they are stored right after they were reserved', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, create(5, 'five'));
    let isStored = false;
    const { pool } = rig.database;
    const slow = new Proxy(pool, {
      get: (target, name) =>
        name === 'query'
          ? async (query: QueryConfig) => {
              const result = await target.query(query);
              if (query.name === 'ingest_raise_counters' && !isStored) {
                isStored = true;
                await target.query(insertSix, [tenantId]);
              }
              return result;
            }
          : (Reflect.get(target, name) as unknown),
    });
    const { results } = await createIngestCommit(slow)([{ tenantId, events: [create(null, 'ours')] }]);
    expect(itemsOf(results[0])).toMatchObject([{ recordId: 7 }]);
    expect(await six(tenantId)).toEqual([{ fields: { companyName: 'theirs' } }]);
  });

  it('near the largest number do not use up all other ids', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, create(Number.MAX_SAFE_INTEGER, 'top'));
    expect(itemsOf(await rig.take(tenantId, create(null, 'next'), create(null, 'next')))).toMatchObject([
      { recordId: 1 },
      { recordId: 2 },
    ]);
  });

  it('do not count when they were only looked up', async () => {
    const tenantId = await insertTenant(rig.database.pool);
    await rig.take(tenantId, anEvent({ expects: 'present', recordId: 700 }));
    expect(itemsOf(await rig.take(tenantId, create(null, 'first')))).toMatchObject([{ recordId: 1 }]);
  });
});

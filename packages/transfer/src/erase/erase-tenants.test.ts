import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import { createDisposableDatabase } from '@callout/local/test-run';
import { insertTenant } from '@callout/database/fixtures/tenant';
import { delivered, failed } from '@callout/pipeline/fixtures/callouts';
import { aTenantWithCallouts } from '@callout/pipeline/fixtures/delivery';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { newId } from '@callout/database/schema/ids';
import { createCredentialStore } from '@callout/tenancy/credentials';
import { createAdministration, type Administration } from '@callout/tenancy/operator/administration/administration';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { eraseTenants, hasTenantsToErase } from './erase-tenants.ts';
import { fillTables, rowsOf, type FilledTenant } from '../filled-tables.fixture.ts';

const database = useDatabase(createDisposableDatabase);
let administration: Administration;
let one: FilledTenant;
let other: FilledTenant;

beforeAll(async () => {
  await ensurePartitions(database.pool, new Date());
  administration = createAdministration(database);
});
beforeEach(async () => {
  one = await fillTables(database.pool, await insertTenant(database.pool));
  other = await fillTables(database.pool, await insertTenant(database.pool));
});

const goOn = { isStopping: () => false };
const nameOf = async (id: number) => (await administration.tenants.read(id)).name;
const mark = async (id: number) => administration.tenants.remove(id, await nameOf(id));
const emptied = (counts: Record<string, number>) => Object.fromEntries(Object.keys(counts).map((table) => [table, 0]));
const passTime = () =>
  database.pool.query(`UPDATE tenants SET deleting_at = now() - interval '1 hour' WHERE deleting_at IS NOT NULL`);
const outcomesOf = async (rules = goOn) =>
  ((await eraseTenants(database.pool, rules)) ?? []).map(({ outcome }) => outcome);

/** Rows that earlier tests have left. */
async function eraseAll(): Promise<void> {
  await passTime();
  while (await hasTenantsToErase(database.pool)) await eraseTenants(database.pool, goOn);
}

describe('deleting a tenant', () => {
  it('leaves no row and no secret of it in any table, and touches nothing of another', async () => {
    const before = await rowsOf(database.pool, one);
    // Each table was filled: an empty one could not show that it is erased.
    expect(Object.entries(before).filter(([, count]) => count < 1)).toEqual([]);
    const ofOther = await rowsOf(database.pool, other);
    await mark(one.tenantId);
    expect(await outcomesOf()).toEqual(['erased']);
    expect(await rowsOf(database.pool, one)).toEqual(emptied(before));
    expect(await rowsOf(database.pool, other)).toEqual(ofOther);
    expect(await nameOf(one.tenantId)).toBe(`deleted tenant ${one.tenantId}`);
    await eraseAll();
    await expect(administration.tenants.read(one.tenantId)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('erases what was on its way when everything else was erased', async () => {
    await mark(one.tenantId);
    await eraseTenants(database.pool, goOn);
    expect(await hasTenantsToErase(database.pool)).toBe(false);
    const late = await fillTables(database.pool, one.tenantId);
    await passTime();
    expect(await outcomesOf()).toEqual(['gone']);
    expect(Object.values(await rowsOf(database.pool, late)).every((count) => count === 0)).toBe(true);
    expect(await hasTenantsToErase(database.pool)).toBe(false);
  });

  it('refuses its credentials from the mark on, and gives none back', async () => {
    const signIn = { foldedUserName: one.userName, address: '192.0.2.1' };
    const found = async () =>
      (await createCredentialStore(database).findForAuthentication([signIn])).get(signIn)?.credential;
    await database.pool.query('UPDATE credentials SET revoked_at = NULL');
    expect(await found()).toBeDefined();
    await mark(one.tenantId);
    expect(await found()).toBeUndefined();
    const reissued = administration.credentials.reissue(one.tenantId, one.credentialId);
    await expect(reissued).rejects.toMatchObject({ kind: 'conflict' });
    await eraseAll();
  });

  it('wants the name once more, and can be repeated', async () => {
    await expect(administration.tenants.remove(one.tenantId, 'another')).rejects.toMatchObject({ kind: 'invalid' });
    expect((await administration.tenants.read(one.tenantId)).deletingDateTime).toBeNull();
    const marked = await mark(one.tenantId);
    await expect(administration.tenants.remove(one.tenantId, '')).resolves.toEqual(marked);
    await eraseAll();
  });

  it('goes on where it was cut short, wherever that was', async () => {
    await mark(one.tenantId);
    let asked = 0;
    let most = 1;
    const cutShort = { isStopping: () => (asked += 1) > most };
    const outcomes: string[] = [];
    while (!outcomes.includes('erased')) {
      asked = 0;
      outcomes.push(...(await outcomesOf(cutShort)));
      most += 5;
    }
    expect(outcomes.filter((outcome) => outcome === 'unfinished').length).toBeGreaterThan(2);
    expect(Object.values(await rowsOf(database.pool, one)).every((count) => count === 0)).toBe(true);
    await eraseAll();
  });

  it('leaves the work to one process at a time', async () => {
    await mark(one.tenantId);
    const holder = await database.pool.connect();
    await holder.query(`SELECT pg_advisory_lock(${advisoryLocks.eraseTenants})`);
    expect(await eraseTenants(database.pool, goOn)).toBeNull();
    await holder.query(`SELECT pg_advisory_unlock(${advisoryLocks.eraseTenants})`);
    holder.release();
    await eraseAll();
  });

  it('finds rows in thousands, and in days that are detached and not dropped yet', async () => {
    const { pool } = database;
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    await pool.query(
      `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
       SELECT $1, 'Account', n, 1, '{"name":"${one.marker}"}', '{}' FROM generate_series(10, 12000) n`,
      [one.tenantId],
    );
    await pool.query(`ALTER TABLE attempts DETACH PARTITION attempts_${day}`);
    try {
      await mark(one.tenantId);
      expect(await outcomesOf()).toEqual(['erased']);
      const { rows } = await pool.query(`SELECT FROM attempts_${day} WHERE tenant_id = $1`, [one.tenantId]);
      expect(rows).toEqual([]);
      expect((await rowsOf(pool, one))['records']).toBe(0);
    } finally {
      await pool.query(`DROP TABLE attempts_${day}`);
      await ensurePartitions(pool, new Date());
      await eraseAll();
    }
  });
});

describe('what is under way for a tenant that is deleted', () => {
  it('is left out when it comes back: no result, no mail, no error', async () => {
    const tenant = await aTenantWithCallouts(database, { webhooks: 1 });
    for (const recordId of [1, 2]) await tenant.add(recordId);
    const [first, second] = await tenant.claim();
    if (first === undefined || second === undefined) throw new Error('nothing was claimed');
    await mark(tenant.tenantId);
    await eraseTenants(database.pool, goOn);
    for (const [callout, next] of [
      [first, delivered],
      [second, failed],
    ] as const) {
      await expect(tenant.settle([callout], next)).resolves.toMatchObject({ lateCalloutIds: [callout.id] });
    }
    expect(await tenant.claim()).toEqual([]);
    expect(await tenant.mails()).toEqual([]);
    await eraseAll();
  });

  it('never waits for locks: rows that another transaction holds are tried again', async () => {
    const eventId = newId();
    await database.pool.query(
      `INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
       VALUES ($1, $2, 'Account', 1, 1, now())`,
      [eventId, one.tenantId],
    );
    await mark(one.tenantId);
    const client = await database.pool.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM pending_events WHERE event_id = $1 FOR UPDATE', [eventId]);
    const erasing = outcomesOf();
    await client.query('COMMIT');
    client.release();
    expect(await erasing).toEqual(['erased']);
    await eraseAll();
  });
});

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cancelOne } from '@callout/pipeline/repair/cancel-callouts';
import { redeliverOne } from '@callout/pipeline/repair/redeliver';
import type { IngestRequest } from '@callout/pipeline/ingest/request.rules';
import { secretAad } from '@callout/domain/secrets/keyring';
import { createDisposableDatabase } from '@callout/local/test-run';
import { claimDueCallouts } from '@callout/pipeline/deliver/claim';
import { dropOldPartitions } from '@callout/database/cleanup/retention';
import { insertTenant, anEvent } from '@callout/database/fixtures/tenant';
import {
  claimRules,
  delivered,
  insertCallout,
  makeOlder,
  settlementOf,
  settleRules,
} from '@callout/pipeline/fixtures/callouts';
import { named } from '@callout/pipeline/fixtures/ingest';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import { findEvent } from '@callout/history/log/event-log';
import { newId } from '@callout/database/schema/ids';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { settleAttempts } from '@callout/pipeline/settle/settle';
import { createCredentialStore } from '@callout/tenancy/credentials';
import { fillTables, rowsOf, tablesOf } from '../filled-tables.fixture.ts';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { findZoneOfUser } from '@callout/tenancy/zones';
import { eraseTenants } from '../erase/erase-tenants.ts';
import { copyTenant } from './copy.ts';
import { arriveInZone, freeze, leaveZone, thaw } from './gate.ts';
import type { Move, Zones } from './move.ts';
import { history, notCopied, setUp } from './moved-tables.ts';
import { abortMove, moveTenant } from './move-tenant.ts';
import { begin, planMove } from './prepare.ts';
import { aFilledTenant, contentOf, makeZone, rulesTo, PRIVATE_KEY, SECRET, zonesOf } from './two-zones.fixture.ts';

const here = useDatabase(createDisposableDatabase);
const there = useDatabase(createDisposableDatabase);
let zones: Zones;
let tenant: Awaited<ReturnType<typeof aFilledTenant>>;
const thisOne = () => ({ id: tenant.tenantId, name: tenant.name });
const move = (change = {}) => moveTenant(zones, thisOne(), rulesTo('eu2', change));

beforeAll(async () => {
  zones = zonesOf(here, there);
  for (const { pool } of [here, there]) await ensurePartitions(pool, new Date());
  await makeZone(zones, 'eu2');
  // So that no number, and with it no name of a user, is the same in both.
  for (const sequence of ['tenants_id_seq', 'webhooks_key_seq', 'credentials_id_seq']) {
    await there.pool.query(`SELECT setval('${sequence}', 5000)`);
  }
});
beforeEach(async () => {
  tenant = await aFilledTenant(zones);
});

const stateOf = async (pool: typeof here.pool, name: string) => {
  const { rows } = await pool.query<{ id: number; state: string }>(
    `SELECT id, state FROM tenants WHERE name = $1 AND deleting_at IS NULL`,
    [name],
  );
  return rows[0];
};
/** Where requests of the tenant are served: never in both. */
async function servedAt(): Promise<string[]> {
  const states = [await stateOf(here.pool, tenant.name), await stateOf(there.pool, tenant.name)];
  return ['here', 'there'].filter((_, at) => states[at]?.state === 'active');
}

/** Makes the webhook of the tenant active, with nothing to deliver. */
async function owesNothing(): Promise<void> {
  for (const sql of [
    'DELETE FROM open_callouts WHERE webhook_key = $1',
    'DELETE FROM pull_leases WHERE webhook_key = $1',
    'UPDATE webhooks SET is_active = true, version = version + 1 WHERE key = $1',
  ]) {
    await here.pool.query(sql, [tenant.webhookKey]);
  }
}
/** Moves it until bodies are copied, and stops. */
async function moveUntilCopied(): Promise<void> {
  let isCopied = false;
  const onStep = (step: string) => (isCopied ||= step.startsWith('copying: callout_bodies'));
  await expect(move({ onStep, isStopping: () => isCopied })).rejects.toThrow('the move was stopped');
}
/** The key of its webhook where it went. */
async function keyThere(targetTenantId: number): Promise<number> {
  const { key } = await there.prisma.webhook.findFirstOrThrow({ where: { tenantId: targetTenantId } });
  return Number(key);
}
const claimAt = (database: typeof here, webhookKey: number) =>
  claimDueCallouts(database.pool, [{ webhookKey, slots: 9 }], claimRules);

it('decides for every table whether a move copies it', async () => {
  const known = [...[...history, ...setUp].map(([table]) => table), ...Object.keys(notCopied)];
  const tables = [...(await tablesOf(here.pool)).keys()];
  expect(tables.filter((table) => !known.includes(table))).toEqual([]);
  expect(new Set(known).size).toBe(known.length);
});

describe('moving a tenant', () => {
  it('brings every row of every table, and touches nothing of others', async () => {
    const other = await fillTables(there.pool, await insertTenant(there.pool));
    const ofOther = await rowsOf(there.pool, other);
    const content = await contentOf(here.pool, tenant.tenantId);
    expect(Object.entries(content).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const { targetTenantId, wasMoved } = await move();
    expect(wasMoved).toBe(false);
    expect(targetTenantId).not.toBe(tenant.tenantId);
    expect(await contentOf(there.pool, targetTenantId)).toEqual(content);
    expect(await rowsOf(there.pool, other)).toEqual(ofOther);
    expect(await servedAt()).toEqual(['there']);
  });

  it('explains an event in the other zone as before', async () => {
    const { pool } = here;
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM events WHERE tenant_id = $1', [tenant.tenantId]);
    const eventId = rows[0]?.id ?? '';
    await pool.query('UPDATE callouts SET event_id = $2, sequence_number = 1 WHERE tenant_id = $1', [
      tenant.tenantId,
      eventId,
    ]);
    const explain = async (database: typeof here, tenantId: number) => {
      const event = await findEvent({ pool: database.pool, timeoutMs: 10_000 }, tenantId, eventId);
      return event?.verdicts.map(({ webhookKey: _key, ...verdict }) => verdict);
    };
    const before = await explain(here, tenant.tenantId);
    expect(before).toMatchObject([
      { rule: 'inactive', version: 3 },
      { rule: 'passed', version: 2, callout: { id: tenant.calloutId, sequenceNumber: 1 } },
    ]);
    const { targetTenantId } = await move();
    expect(await explain(there, targetTenantId)).toEqual(before);
  });

  it('encrypts the secrets with the keys of the other zone', async () => {
    const { targetTenantId } = await move();
    const { rows } = await there.pool.query<{ guid: string; keyId: string; nonce: Buffer; ciphertext: Buffer }>(
      `SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext FROM webhooks
       WHERE tenant_id = $1 UNION ALL
       SELECT guid, previous_secret_key_id, previous_secret_nonce, previous_secret_ciphertext FROM webhooks
       WHERE tenant_id = $1 UNION ALL
       SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE tenant_id = $1 UNION ALL
       SELECT id, previous_key_id, previous_nonce, previous_ciphertext FROM signing_keys WHERE tenant_id = $1`,
      [targetTenantId],
    );
    const opened = rows.map(({ guid, ...encrypted }) =>
      zones.target.keyRing.decrypt(encrypted, secretAad(targetTenantId, guid)),
    );
    expect(opened).toEqual([SECRET, SECRET, PRIVATE_KEY, PRIVATE_KEY]);
  });

  it('goes on where it was cut short, wherever that was, and is never served twice', async () => {
    const content = await contentOf(here.pool, tenant.tenantId);
    let moved: Awaited<ReturnType<typeof move>> | undefined;
    let cuts = 0;
    for (let most = 0; moved === undefined; most += 3) {
      let asked = 0;
      try {
        moved = await move({ isStopping: () => (asked += 1) > most });
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('the move was stopped') });
        cuts += 1;
        expect(await servedAt()).toEqual(['here']);
      }
    }
    expect(cuts).toBeGreaterThan(5);
    expect(await servedAt()).toEqual(['there']);
    expect(await contentOf(there.pool, moved.targetTenantId)).toEqual(content);
  });

  it('is served by neither when its process dies at the switch, and by one after the next call', async () => {
    const first = await move();
    // As it is between the two commits.
    await there.pool.query(`UPDATE tenants SET state = 'arriving' WHERE id = $1`, [first.targetTenantId]);
    expect(await servedAt()).toEqual([]);
    await expect(move()).resolves.toMatchObject({ wasMoved: true, targetTenantId: first.targetTenantId });
    expect(await servedAt()).toEqual(['there']);
  });

  it('copies again what changes between two tries', async () => {
    let asked = 0;
    await expect(move({ isStopping: () => (asked += 1) > 14 })).rejects.toThrow('the move was stopped');
    const { pool } = here;
    const commit = createIngestCommit(pool);
    await commit([{ tenantId: tenant.tenantId, events: [anEvent({ recordId: 1 }), anEvent({ recordId: 77 })] }]);
    await pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenant.tenantId]);
    // It was redelivered, and has ended once more.
    await pool.query(`UPDATE callouts SET state = 'delivered', finished_at = now() WHERE tenant_id = $1`, [
      tenant.tenantId,
    ]);
    await pool.query(
      `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers)
       VALUES ($1, $2, $3, $4, 2, now(), 1, 'http://127.0.0.1', '{}')`,
      [newId(), tenant.calloutId, tenant.tenantId, tenant.webhookKey],
    );
    await insertCallout(pool, { tenantId: tenant.tenantId, webhookKey: tenant.webhookKey, recordId: 5 });
    await pool.query(`UPDATE webhooks SET name = 'another', version = version + 1 WHERE key = $1`, [tenant.webhookKey]);
    const content = await contentOf(pool, tenant.tenantId);
    const { targetTenantId } = await move();
    expect(await contentOf(there.pool, targetTenantId)).toEqual(content);
  });

  it('copies again what was redelivered and cancelled without an attempt between two tries, and serves it there', async () => {
    const { tenantId, webhookKey } = tenant;
    const { pool } = here;
    await owesNothing();
    const calloutId = await insertCallout(pool, { tenantId, webhookKey, recordId: 1 });
    await pool.query('DELETE FROM open_callouts WHERE callout_id = $1', [calloutId]);
    await pool.query(`UPDATE callouts SET state = 'failed', finished_at = now() - interval '1 hour' WHERE id = $1`, [
      calloutId,
    ]);
    await moveUntilCopied();
    const { rows } = await pool.query<{ entityType: string; id: number }>(
      'SELECT entity_type AS "entityType", id FROM webhooks WHERE key = $1',
      [webhookKey],
    );
    const { entityType = '', id = 0 } = rows[0] ?? {};
    const depsOf = (database: typeof here) => ({ database, enqueueDeliver: () => undefined });
    const named = { webhook: { tenantId, entityType, id }, calloutId };
    expect(await redeliverOne(depsOf(here), named)).toMatchObject({ queued: 1 });
    expect(await cancelOne(depsOf(here), named)).toBe(1);
    const content = await contentOf(pool, tenantId);
    const { targetTenantId } = await move();
    expect(await contentOf(there.pool, targetTenantId)).toEqual(content);

    const movedTo = { webhook: { ...named.webhook, tenantId: targetTenantId }, calloutId };
    expect(await redeliverOne(depsOf(there), movedTo)).toMatchObject({ queued: 1 });
    const claimed = await claimAt(there, await keyThere(targetTenantId));
    expect(claimed).toMatchObject([{ id: calloutId, isRedelivery: true, body: '{}' }]);
  });

  it('brings an open callout that is older than history is kept where it goes', async () => {
    const { tenantId, webhookKey } = tenant;
    const { pool } = here;
    await owesNothing();
    const calloutId = await makeOlder(pool, await insertCallout(pool, { tenantId, webhookKey, recordId: 1 }), 20);
    const retention = { callouts: 3, events: 3, errorLogs: 3 };
    await moveUntilCopied();
    await dropOldPartitions(there.pool, retention, { now: new Date() });
    const { targetTenantId } = await move();
    const claimed = await claimAt(there, await keyThere(targetTenantId));
    expect(claimed).toMatchObject([{ id: calloutId, body: '{}' }]);
  });

  it('gives an error log another id where its own is used, and announces it', async () => {
    const other = await fillTables(there.pool, await insertTenant(there.pool));
    const { rows } = await here.pool.query<{ id: string }>(
      'SELECT id::text FROM webhook_event_error_logs WHERE tenant_id = $1',
      [tenant.tenantId],
    );
    const id = rows[0]?.id ?? '';
    await there.pool.query('UPDATE webhook_event_error_logs SET id = $2 WHERE tenant_id = $1', [other.tenantId, id]);
    expect((await planMove(zones, thisOne(), 'eu2')).notices).toEqual([
      '1 error logs get other ids: theirs are taken where it goes.',
      'Receivers that read the public keys of the tenant by their URL have to read them where it goes.',
    ]);
    const { targetTenantId } = await move();
    const moved = await there.pool.query<{ id: string }>(
      'SELECT id::text FROM webhook_event_error_logs WHERE tenant_id = $1',
      [targetTenantId],
    );
    expect(moved.rows).toEqual([{ id: String(BigInt(id) + 1n) }]);
  });

  it('keeps the order of a record whose retry waits, and the response that a repeat gets', async () => {
    const { tenantId, webhookKey, credentialId } = tenant;
    const { pool } = here;
    await owesNothing();
    const first = await insertCallout(pool, { tenantId, webhookKey, recordId: 1 });
    const second = await insertCallout(pool, { tenantId, webhookKey, recordId: 1 });
    const later = `UPDATE open_callouts SET attempts_made = 1, due_at = now() + interval '1 hour' WHERE callout_id = $1`;
    await pool.query(later, [first]);
    const requestOf = (ofTenant: number, credential: number): IngestRequest => ({
      tenantId: ofTenant,
      events: [anEvent({ action: 'Create', recordId: null, expects: 'absent' })],
      idempotencyKey: {
        credentialId: credential,
        route: 'r',
        key: 'k',
        requestHash: Buffer.from('h'),
        response: { kind: 'record', remarks: {} },
      },
    });
    const before = await createIngestCommit(pool)([requestOf(tenantId, credentialId)]);
    expect(before.results).toMatchObject([{ kind: 'accepted' }]);
    await pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);

    const { targetTenantId } = await move();
    const { rows } = await there.pool.query<{ key: number; credential: number }>(
      `SELECT w.key, c.id AS credential FROM webhooks w JOIN credentials c ON c.tenant_id = w.tenant_id
       WHERE w.tenant_id = $1`,
      [targetTenantId],
    );
    const { key = 0, credential = 0 } = rows[0] ?? {};
    const claim = () => claimDueCallouts(there.pool, [{ webhookKey: key, slots: 9 }], claimRules);
    expect(await claim()).toEqual([]);
    await there.pool.query('UPDATE open_callouts SET due_at = now() WHERE callout_id = $1', [first]);
    const claimed = await claim();
    expect(claimed).toMatchObject([{ id: first, attemptsMade: 1 }]);
    const rules = { ...settleRules, deactivateAfter: 0 };
    await settleAttempts(
      there.pool,
      claimed.map((callout) => settlementOf(callout, delivered)),
      rules,
    );
    expect((await claim()).map(({ id }) => id)).toEqual([second]);
    const repeated = await createIngestCommit(there.pool)([requestOf(targetTenantId, credential)]);
    expect(repeated.results).toMatchObject([{ kind: 'repeated' }]);
  });

  it('leaves when it is undone nothing where it would have gone, and is served where it was', async () => {
    const content = await contentOf(here.pool, tenant.tenantId);
    for (const most of [4, 30]) {
      let asked = 0;
      await expect(move({ isStopping: () => (asked += 1) > most })).rejects.toThrow('the move was stopped');
      const arriving = await stateOf(there.pool, tenant.name);
      expect(arriving).toMatchObject({ state: 'arriving' });
      await expect(abortMove(zones, thisOne())).resolves.toBe(true);
      expect(await servedAt()).toEqual(['here']);
      const left = await contentOf(there.pool, arriving?.id ?? 0);
      expect(Object.values(left).flat()).toEqual([]);
      expect(await contentOf(here.pool, tenant.tenantId)).toEqual(content);
    }
    await expect(abortMove(zones, thisOne())).resolves.toBe(false);
    await move();
    await expect(abortMove(zones, thisOne())).rejects.toMatchObject({ kind: 'conflict' });
  });
});

describe('a tenant that was moved', () => {
  const signIn = { foldedUserName: '', address: '192.0.2.1' };
  const credentialAt = async (database: typeof here) => {
    const asked = { ...signIn, foldedUserName: tenant.userName };
    return (await createCredentialStore(database).findForAuthentication([asked])).get(asked)?.credential;
  };

  it('is found by the name of its users in both zones, also when it is erased where it was', async () => {
    await here.pool.query('UPDATE credentials SET revoked_at = NULL WHERE tenant_id = $1', [tenant.tenantId]);
    const { targetTenantId } = await move();
    expect(await credentialAt(here)).toMatchObject({ tenantState: 'left' });
    expect(await credentialAt(there)).toMatchObject({ tenantState: 'active', tenantId: targetTenantId });
    for (const database of [here, there]) {
      await expect(findZoneOfUser(database.prisma, tenant.userName)).resolves.toMatchObject({ name: 'eu2' });
    }
    await createAdministration(here).tenants.remove(tenant.tenantId, tenant.name);
    await eraseTenants(here.pool, { isStopping: () => false });
    expect(Object.values(await rowsOf(here.pool, tenant)).every((count) => count === 0)).toBe(true);
    await expect(findZoneOfUser(here.prisma, tenant.userName)).resolves.toMatchObject({ name: 'eu2' });
  });

  it('goes on with its numbers, its open callouts and its eventIDs', async () => {
    const { tenantId, webhookKey } = tenant;
    await owesNothing();
    const [due, waiting] = [
      await insertCallout(here.pool, { tenantId, webhookKey, recordId: 1 }),
      await insertCallout(here.pool, { tenantId, webhookKey, recordId: 1 }),
    ];
    const event = anEvent({ recordId: 9, ...named('order-1', 'content') });
    await createIngestCommit(here.pool)([{ tenantId, events: [event] }]);
    await here.pool.query('DELETE FROM pending_events WHERE tenant_id = $1', [tenantId]);

    const { targetTenantId } = await move();
    const { rows } = await there.pool.query<{ key: number; last: number }>(
      'SELECT key, last_sequence AS last FROM webhooks WHERE tenant_id = $1',
      [targetTenantId],
    );
    const moved = rows[0]?.key ?? 0;
    expect(await claimAt(here, webhookKey)).toEqual([]);
    expect((await claimAt(there, moved)).map(({ id }) => id)).toEqual([due]);
    expect(waiting).not.toBe(due);
    const before = await here.pool.query<{ last: number }>(
      'SELECT last_sequence AS last FROM webhooks WHERE key = $1',
      [webhookKey],
    );
    expect(rows[0]?.last).toBe(before.rows[0]?.last);
    const again = await createIngestCommit(there.pool)([{ tenantId: targetTenantId, events: [event] }]);
    expect(again.results[0]).toMatchObject({ kind: 'accepted', items: [{ status: 'duplicate' }] });
  });
});

describe('a tenant that is being moved', () => {
  it('is not claimed, and waits until what is being sent has ended', async () => {
    const { tenantId, webhookKey } = tenant;
    await owesNothing();
    for (const recordId of [1, 2]) await insertCallout(here.pool, { tenantId, webhookKey, recordId });
    const claim = (slots: number) => claimDueCallouts(here.pool, [{ webhookKey, slots }], claimRules);
    const [leased] = await claim(1);
    const waited: string[] = [];
    const whileItWaits: unknown[] = [];
    await move({
      onStep: (step: string) => {
        if (!step.startsWith('waiting') || waited.length > 0) return;
        waited.push(step);
        void (async () => {
          whileItWaits.push(await claim(5));
          await here.pool.query('UPDATE open_callouts SET lease_until = now() WHERE callout_id = $1', [leased?.id]);
        })();
      },
    });
    expect(waited).toEqual(['waiting: 1 callouts are being sent']);
    expect(whileItWaits).toEqual([[]]);
  });

  it('is served where it was when what is under way does not end in time', async () => {
    await here.pool.query(
      `INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
       VALUES ($1, $2, 'Account', 1, 1, now())`,
      [newId(), tenant.tenantId],
    );
    await expect(move({ freezeLimitMs: 1 })).rejects.toThrow('since 1 events are not matched yet');
    expect(await servedAt()).toEqual(['here']);
  });

  it('is copied as it was when nothing changed it any more, whatever a worker does to it after that', async () => {
    const { pool } = here;
    const content = await contentOf(pool, tenant.tenantId);
    let swept: Promise<unknown> | undefined;
    const { targetTenantId } = await move({
      onStep: (step: string) => {
        if (step.startsWith('copying')) {
          swept ??= pool.query(
            `WITH released AS (
               UPDATE open_callouts SET attempts_made = 9 WHERE webhook_key = $1
             ), ended AS (
               UPDATE webhooks SET is_active = false, version = version + 1, last_sequence = 99 WHERE key = $1
             )
             UPDATE callouts SET state = 'cancelled' WHERE webhook_key = $1`,
            [tenant.webhookKey],
          );
        }
      },
    });
    await swept;
    expect(await contentOf(there.pool, targetTenantId)).toEqual(content);
  });

  it('cannot be opened, copied or switched by a command whose move another one has taken over', async () => {
    const { id, targetTenantId } = await begin(zones, thisOne(), 'eu2', undefined);
    const rest = { onStep: () => undefined, isStopping: () => false };
    const own = { ...zones, ...rest, id, zoneName: 'eu2', sourceTenantId: tenant.tenantId, targetTenantId };
    const late: Move = { ...own, run: newId() };
    const present: Move = { ...own, run: newId() };
    await freeze(late, 30_000);
    await copyTenant(late);
    await freeze(present, 30_000);
    await thaw(late);
    expect(await stateOf(here.pool, tenant.name)).toMatchObject({ state: 'moving' });
    await expect(copyTenant(late)).rejects.toThrow('another command has moved it');
    await expect(leaveZone(late)).rejects.toThrow('another command has moved it');
    await copyTenant(present);
    // It was killed after that, and another one begins from the start.
    await expect(copyTenant(present)).rejects.toThrow('another command has moved it');
    await expect(arriveInZone(present)).rejects.toThrow('the tenant has not left');
    expect(await servedAt()).toEqual([]);
    await move();
    expect(await servedAt()).toEqual(['there']);
    await thaw(present);
    expect(await servedAt()).toEqual(['there']);
  });

  it('is not stopped by a command whose move was undone before it came to that', async () => {
    const { id, targetTenantId } = await begin(zones, thisOne(), 'eu2', undefined);
    await abortMove(zones, thisOne());
    const rest = { onStep: () => undefined, isStopping: () => false };
    const late = {
      ...zones,
      ...rest,
      id,
      run: newId(),
      zoneName: 'eu2',
      sourceTenantId: tenant.tenantId,
      targetTenantId,
    };
    await expect(freeze(late, 30_000)).rejects.toThrow('another command has moved it, or undone that');
    expect(await servedAt()).toEqual(['here']);
  });

  it('makes earlier authentications stale, so that no commit accepts an event', async () => {
    await here.pool.query('UPDATE credentials SET revoked_at = NULL WHERE tenant_id = $1', [tenant.tenantId]);
    const signIn = { foldedUserName: tenant.userName, address: '192.0.2.7' };
    const found = (await createCredentialStore(here).findForAuthentication([signIn])).get(signIn)?.credential;
    const request = {
      tenantId: tenant.tenantId,
      events: [anEvent()],
      authentication: { ...signIn, version: found?.version ?? '' },
    };
    const commit = createIngestCommit(here.pool);
    expect((await commit([request])).results).toMatchObject([{ kind: 'accepted' }]);
    await here.pool.query(`UPDATE tenants SET state = 'moving' WHERE id = $1`, [tenant.tenantId]);
    expect((await commit([request])).results).toEqual([{ kind: 'staleAuthentication' }]);
  });
});

describe('what hinders a move', () => {
  it('are reported before anything is done', async () => {
    const at = (zone: string) => planMove(zones, thisOne(), zone).then(({ hindrances }) => hindrances);
    expect(await at('eu2')).toEqual([]);
    expect(await at('nowhere')).toEqual([
      'The database that it leaves knows no zone nowhere: callout admin zones create makes it.',
      'The database that it goes to knows no zone nowhere: callout admin zones create makes it.',
    ]);
    await there.pool.query('INSERT INTO tenants (name, zone_id) SELECT $1, id FROM zones LIMIT 1', [tenant.name]);
    await here.pool.query(`UPDATE webhooks SET secret_nonce = 'x' WHERE key = $1`, [tenant.webhookKey]);
    expect(await at('eu2')).toEqual([
      'SECRET_KEYS does not open 1 of the secrets of the tenant.',
      `There is a tenant ${tenant.name} already where it goes.`,
    ]);
    await expect(move()).rejects.toMatchObject({ kind: 'invalid' });
    expect(await servedAt()).toEqual(['here', 'there']);
  });

  it('counts what there is', async () => {
    const { rows } = await planMove(zones, thisOne(), 'eu2');
    expect(rows).toMatchObject({ events: 1, callouts: 1, callout_bodies: 1, attempts: 1, webhooks: 1, records: 1 });
  });
});

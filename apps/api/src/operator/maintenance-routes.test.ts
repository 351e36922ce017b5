import { byOperator } from '@callout/domain/changes/actor';
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing, secretAad } from '@callout/domain/secrets/keyring';
import { type Database, openDatabase } from '@callout/database/connection/database';
import { newId } from '@callout/database/schema/ids';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { holdSigningKey, newSigningKey } from '@callout/webhooks/hold-signing-key';
import { takeAlertTest } from '@callout/pipeline/notify/store/alert-test';
import { reportOf, startReporting } from '@callout/database/report-process';
import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { createConsumer } from '@callout/queue/consumer';
import { createProducer } from '@callout/queue/producer';
import { createTestDatabase, eventually, testRedis } from '@callout/testing';
import { call } from '../fixtures/test-api.ts';
import type { HttpServer } from '../http/server/server.ts';
import { mustConform } from './operations/conforms.fixture.ts';
import { startOperatorApi } from './start-operator-api.ts';

const token = randomBytes(24).toString('base64url');
const [oldKey, newKey] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const oldRing = KeyRing.parse(`k1:${oldKey}`);
let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let redis: Awaited<ReturnType<typeof testRedis>>;
let database: Database;
let server: HttpServer;
const log = createLogger({ service: 'api', level: 'fatal' });

beforeAll(async () => {
  [testDatabase, redis] = await Promise.all([createTestDatabase(), testRedis()]);
  database = openDatabase({ url: testDatabase.url, poolSize: 5, applicationName: 'test', onError: () => undefined });
  const config = parseConfig(apiConfig, {
    DATABASE_URL: testDatabase.url,
    REDIS_URL: redis.url,
    REDIS_PREFIX: redis.prefix,
    SECRET_KEYS: `k2:${newKey},k1:${oldKey}`,
    OPERATOR_PORT: '0',
    OPERATOR_TOKEN: token,
  });
  const started = await startOperatorApi({
    config,
    database,
    log,
    build: '1.2.3',
    operatedTenants: (_, __, next) => next(),
  });
  if (started === undefined) throw new Error('the operator API did not start');
  server = started;
});
afterAll(async () => {
  await server.close();
  await database.close();
  await Promise.all([testDatabase.drop(), redis.cleanUp()]);
});

interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly item: Record<string, unknown>; readonly items: readonly Record<string, unknown>[] };
}

async function operate(method: string, path: string, body?: unknown): Promise<ApiResponse> {
  const url = `http://${server.host}:${server.port}/operator/v1${path}`;
  const response = await call(url, method, { headers: { Authorization: `Bearer ${token}` }, body });
  mustConform(method, path, response);
  return response as never;
}

describe('the keys that sign for a tenant', () => {
  it('are shown and rotated as its admins do it, and there is no other tenant', async () => {
    const tenantId = await insertTenant(database.pool);
    const path = `/tenants/${tenantId}/webhookKeys`;
    expect((await operate('GET', path)).body).toEqual({ items: [] });
    expect((await operate('POST', `${path}/rotate`, { kid: 'x', overlapHours: 1 })).status).toBe(409);
    await database.transaction(tenantId, ({ sets }) =>
      holdSigningKey(sets, tenantId, newSigningKey(oldRing, tenantId), byOperator),
    );
    const [before] = (await operate('GET', path)).body.items;
    expect(before).toMatchObject({
      state: 'current',
      signingKeysUrl: expect.stringContaining('/.well-known/webhook-keys/'),
    });
    const rotated = await operate('POST', `${path}/rotate`, { kid: before?.['kid'], overlapHours: 1 });
    expect(rotated.body.items).toMatchObject([{ state: 'current' }, { state: 'previous', kid: before?.['kid'] }]);
    const ended = await operate('POST', `${path}/rotate`, { kid: before?.['kid'], overlapHours: 0 });
    expect(ended.body).toMatchObject({ items: [{ state: 'current' }], warnings: [expect.any(String)] });
    expect((await operate('POST', `${path}/rotate`, { kid: 5, overlapHours: 'x' })).status).toBe(400);
    expect((await operate('GET', '/tenants/2000000000/webhookKeys')).status).toBe(404);
    const missing = await operate('POST', '/tenants/2000000000/webhookKeys/rotate', { kid: 'x', overlapHours: 1 });
    expect(missing.status).toBe(404);
    // The secrets of all tenants are counted below.
    await database.pool.query('DELETE FROM signing_keys WHERE tenant_id = $1', [tenantId]);
  });
});

describe('GET /status', () => {
  it('reports open callouts, running processes, and problems', async () => {
    const own = {
      service: 'worker',
      version: '1.2.3',
      keyIds: ['k2', 'k1'],
      roles: ['match', 'deliver', 'sweep'],
    } as const;
    const retentionDays = { callouts: 30, events: 30, errorLogs: 0 };
    const health = { status: 503, body: { checks: { redis: 'failed: Redis is away' } } };
    const reporting = startReporting({
      client: database.pool,
      onError: (error) => {
        throw error;
      },
      report: async () => reportOf(health, { ...own, retentionDays }),
    });
    await eventually(async () => {
      const { body } = await operate('GET', '/status');
      expect(body.item).toMatchObject({
        pendingEvents: { count: 0 },
        openCallouts: { due: 0 },
        missingKeys: [],
        queues: { events: { waiting: 0 }, jobs: [{ queue: 'deliver' }] },
        processes: [{ service: 'worker', version: '1.2.3', roles: own.roles, isReady: false, isGone: false }],
        problems: [{ kind: 'noWorker', severity: 'urgent' }, { kind: 'notReady' }],
      });
    });
    expect((await operate('GET', '/retention')).body.item).toMatchObject({ retentionDays, kept: [] });
    await reporting.stop();
    expect((await operate('GET', '/status')).body.item).toMatchObject({ processes: [] });
    expect((await operate('GET', '/retention')).body.item).toMatchObject({ retentionDays: null });
  });

  it('counts a process as gone after a time without reports', async () => {
    await database.pool.query(
      `INSERT INTO processes (id, service, version, host, pid, started_at, seen_at, is_ready, facts) VALUES
       ($1, 'api', '1', 'a', 1, now(), now() - interval '1 minute', true, '{"roles":[],"keyIDs":[],"checks":{},"notices":[]}'),
       ($2, 'api', '1', 'a', 2, now(), now() - interval '25 hours', true, '{}')`,
      [randomUUID(), randomUUID()],
    );
    expect((await operate('GET', '/status')).body.item).toMatchObject({
      processes: [{ pid: 1, isGone: true, isReady: false }],
    });
    await database.pool.query('DELETE FROM processes');
  });
});

describe('GET /queues', () => {
  it('reports how much waits in Redis', async () => {
    await eventually(async () =>
      expect((await operate('GET', '/queues')).body.item).toEqual({
        isRedisReady: true,
        events: { waiting: 0, most: 5_000, firstDateTime: null, lastDateTime: null },
        jobs: [{ queue: 'deliver', waiting: 0, active: 0 }],
      }),
    );
  });
});

describe('keys', () => {
  it('are re-encrypted a batch at a time, and what does not open is named', async () => {
    const tenantId = await insertTenant(database.pool);
    const keys = [
      await insertWebhook(database.pool, tenantId, 1),
      await insertWebhook(database.pool, tenantId, 2),
      await insertWebhook(database.pool, tenantId, 3),
    ];
    for (const [index, key] of keys.entries()) {
      const { rows } = await database.pool.query<{ guid: string }>('SELECT guid FROM webhooks WHERE key = $1', [key]);
      const encrypted = oldRing.encrypt('a secret', secretAad(tenantId, rows[0]?.guid ?? ''), randomBytes(12));
      await database.pool.query(
        'UPDATE webhooks SET secret_key_id = $2, secret_nonce = $3, secret_ciphertext = $4 WHERE key = $1',
        [key, index === 2 ? 'k9' : 'k1', encrypted.nonce, encrypted.ciphertext],
      );
    }
    expect((await operate('GET', '/keys')).body.items).toEqual([
      { keyID: 'k2', secrets: 0, state: 'encrypts' },
      { keyID: 'k1', secrets: 2, state: 'decrypts' },
      { keyID: 'k9', secrets: 1, state: 'missing' },
    ]);
    const first = (await operate('POST', '/keys/reencrypt?limit=2')).body.item;
    expect(first).toMatchObject({ keyID: 'k2', reencrypted: 2, unreadable: [] });
    const second = (await operate('POST', `/keys/reencrypt?after=${String(first['nextAfter'])}`)).body.item;
    expect(second).toMatchObject({
      reencrypted: 0,
      unreadable: [{ tenantID: tenantId, keyID: 'k9' }],
      nextAfter: null,
    });
    expect((await operate('GET', '/keys')).body.items).toContainEqual({ keyID: 'k1', secrets: 0, state: 'notNeeded' });
    expect((await operate('POST', '/keys/reencrypt?limit=0')).status).toBe(400);
    expect((await operate('POST', '/keys/reencrypt?after=x')).status).toBe(400);
    await database.pool.query("UPDATE webhooks SET secret_key_id = ''");
  });
});

describe('mail', () => {
  it('that is not out is listed with its reason, and can be tried at once', async () => {
    const [waiting, part, loose, refused] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()].toSorted();
    const later = "now() + interval '1 hour'";
    await database.pool.query(
      `INSERT INTO notifications (id, kind, occasion, recipient, content, state, mail_id, mail_at, due_at, attempts, last_error) VALUES
       ($1, 'error', 'a', 'a@example.com', '{}', 'waiting', $1, now(), ${later}, 2, '451 later'),
       ($2, 'error', 'b', 'a@example.com', '{}', 'waiting', $1, now(), ${later}, 0, NULL),
       ($3, 'error', 'c', 'b@example.com', '{}', 'waiting', NULL, NULL, now(), 0, NULL),
       ($4, 'error', 'd', 'c@example.com', '{}', 'refused', $4, now(), now(), 1, '550 no such person')`,
      [waiting, part, loose, refused],
    );
    expect((await operate('GET', '/mails')).body.items).toMatchObject([
      { id: loose, isGathered: false, notifications: 1, nextAttemptDateTime: null },
      { id: waiting, isGathered: true, notifications: 2, attempts: 2, lastError: '451 later', tenantID: null },
    ]);
    expect((await operate('GET', '/mails?state=refused,failed')).body.items).toMatchObject([
      { id: refused, state: 'refused', lastError: '550 no such person' },
    ]);
    expect((await operate('GET', '/mails?limit=1')).body).toMatchObject({ items: [{ id: loose }], nextAfter: loose });
    expect((await operate('GET', `/mails?limit=1&after=${loose}`)).body).toMatchObject({ items: [{ id: waiting }] });
    for (const state of ['sent', 'waiting,refuse', '']) {
      expect((await operate('GET', `/mails?state=${state}`)).status).toBe(400);
    }

    for (const id of [waiting, refused]) expect((await operate('POST', `/mails/${id}/retry`)).status).toBe(200);
    const { rows } = await database.pool.query(
      "SELECT id FROM notifications WHERE state = 'waiting' AND due_at <= now() AND mail_id IS NOT NULL ORDER BY id",
    );
    expect(rows).toEqual([{ id: waiting }, { id: part }, { id: refused }]);
    expect((await operate('POST', `/mails/${loose}/retry`)).status).toBe(409);
    expect((await operate('POST', '/mails/none/retry')).status).toBe(404);
  });
});

describe('a test of the alerts to operators', () => {
  it('is asked for, and has its result once a worker has taken it', async () => {
    expect((await operate('GET', '/alerts/test')).status).toBe(404);
    const { item: asked } = (await operate('POST', '/alerts/test')).body;
    expect((await operate('GET', '/alerts/test')).body.item).toEqual({ ...asked, isTaken: false, channels: [] });
    await takeAlertTest(database.pool, { recipients: ['ops@example.com'], hasUrl: true });
    expect((await operate('GET', '/alerts/test')).body.item).toMatchObject({
      isTaken: true,
      channels: [
        { kind: 'mail', recipient: 'ops@example.com', state: 'waiting' },
        { kind: 'url', recipient: null, state: 'waiting' },
      ],
    });
  });
});

describe('GET /tenants/{id}/export', () => {
  it('sends everything of a tenant as JSON lines, without secrets', async () => {
    const { id } = await database.prisma.tenant.findFirstOrThrow({ select: { id: true } });
    const response = await fetch(`http://${server.host}:${server.port}/operator/v1/tenants/${id}/export`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="tenant-${id}.jsonl"`);
    const lines = (await response.text()).trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ kind: 'tenant', id });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ kind: 'end', lines: lines.length - 1 });
    expect(lines.join('')).not.toContain('secretKey');
    expect((await operate('GET', '/tenants/999999/export')).status).toBe(404);
  });
});

describe('GET /retention', () => {
  it('reports the stored history and the dropped one', async () => {
    await database.pool.query("INSERT INTO dropped_partitions (name) VALUES ('callouts_20260131')");
    const { item } = (await operate('GET', '/retention')).body;
    expect(item['dropped']).toMatchObject([{ name: 'callouts_20260131' }]);
    expect(item['tables']).toContainEqual(expect.objectContaining({ table: 'callouts', days: 9 }));
  });
});

describe('POST /queues/rebuild', () => {
  it('enqueues everything that is due now, also what the sweep would leave for later', async () => {
    const { pool } = database;
    const tenantId = await insertTenant(pool);
    const eventIds = Array.from({ length: 1_203 }, newId);
    await pool.query(
      `INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at, enqueue_count)
       SELECT id, $2, 'Account', 1, row_number() OVER (), now() + interval '5 minutes', 9 FROM unnest($1::uuid[]) AS id`,
      [eventIds, tenantId],
    );
    const [due, later] = [await insertWebhook(pool, tenantId, 1), await insertWebhook(pool, tenantId, 2)];
    for (const [webhookKey, wait] of [
      [due, '-1 second'],
      [later, '1 hour'],
    ] as const) {
      await pool.query(
        `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
         VALUES ($1, $2, $3, 'Account', 1, 'Update', 1, 'due', now() + $4::interval)`,
        [randomUUID(), tenantId, webhookKey, wait],
      );
    }
    const producer = createProducer({ url: redis.url, prefix: redis.prefix, onError: () => undefined });
    await eventually(() => producer.isReady());
    producer.enqueueEvents([randomUUID()]);
    expect(await producer.waitingJobs('match')).toBe(1);

    expect(await operate('POST', '/queues/rebuild')).toMatchObject({
      status: 200,
      body: { item: { events: 1_203, webhooks: 1 } },
    });
    // What was there stays, and nothing moves in the database: the sweep goes on as if this had not run.
    expect(await producer.waitingJobs('match')).toBe(1 + 5 + 5 + 3);
    const { rows } = await pool.query<{ enqueue_count: number }>('SELECT DISTINCT enqueue_count FROM pending_events');
    expect(rows).toEqual([{ enqueue_count: 9 }]);
    const jobs: number[] = [];
    const consumer = createConsumer({
      url: redis.url,
      prefix: redis.prefix,
      onError: () => undefined,
      onFailed: () => undefined,
      name: 'deliver',
      work: async ({ webhookKeys }) => void jobs.push(...webhookKeys),
    });
    await eventually(() => expect(jobs).toEqual([due]));
    await consumer.close();
    await producer.close();
  });
});

import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { newId } from '@callout/database/schema/ids';
import { eventually } from '@callout/testing';
import { failure } from '../../../fixtures/failure.ts';
import { insertLoggedCallout, type LoggedCalloutOptions } from '../../../fixtures/logged-callout.ts';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenantWithWebhooks } from '../../../fixtures/tenant-with-webhooks.ts';
import { tenantPerTest, type TestCredential } from '../../../fixtures/test-tenant.ts';
import { listOf, numbersOf } from '../listed.fixture.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenantWithWebhooks(api));

const get = (path: string, as: TestCredential = tenant.integrator) => api.call('GET', path, { as });
const pool = () => api.database.pool;

/** A failed callout whose last attempt came to this. */
async function fail(
  options: LoggedCalloutOptions,
  { status = null, failureReason = null }: { status?: number | null; failureReason?: string | null },
): Promise<string> {
  const { calloutId } = await insertLoggedCallout(api, tenant.id, { state: 'failed', ...options });
  await pool().query(
    `UPDATE attempts SET status = $2, failure_reason = $3, response_headers = CASE WHEN $2::int IS NULL THEN NULL ELSE '{}'::json END
     WHERE callout_id = $1 AND next_attempt_at IS NULL`,
    [calloutId, status, failureReason],
  );
  return calloutId;
}

/** A callout failed, was redelivered, and failed again with this status. */
const failAgain = (calloutId: string, status: number) =>
  pool().query(
    `INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
       response_headers)
     SELECT $1, id, tenant_id, webhook_key, 3, now(), 1, 'http://x', '{}', $3, '{}' FROM callouts WHERE id = $2`,
    [newId(), calloutId, status],
  );

describe('GET /Callouts/failed', () => {
  it('counts what failed by webhook and reason, by the last attempt, with an example', async () => {
    await fail({ sequenceNumber: 1, recordId: 1 }, { status: 503 });
    const second = await fail({ sequenceNumber: 2, recordId: 2 }, { status: 500 });
    const gone = await fail({ sequenceNumber: 3, recordId: 3 }, { status: 503 });
    await failAgain(gone, 410);
    await fail({ sequenceNumber: 1, webhookId: 2 }, { failureReason: 'timeout' });
    for (const state of ['delivered', 'cancelled', 'due'] as const) {
      await insertLoggedCallout(api, tenant.id, { state, sequenceNumber: 9, recordId: 9 });
    }
    const { items, pageDetails } = listOf(await get('/Callouts/failed'));
    expect(items.map(({ webhookID, reason, count }) => [webhookID, reason, count])).toEqual([
      [2, 'timeout', 1],
      [1, 'status410', 1],
      [1, 'status5xx', 2],
    ]);
    expect(pageDetails).toMatchObject({ count: 3, nextPageUrl: null });
    expect(items[0]).toMatchObject({ example: 'The receiver did not answer in time.', webhookState: 'active' });
    expect(items[2]).toMatchObject({
      entityType: 'Account',
      webhookName: expect.any(String),
      reasonText: 'the receiver failed (5xx)',
      exampleCalloutID: second,
      example: 'The receiver answered 500: it failed. See the log of the receiver.',
    });
    // Each group is what the list shows for its webhook and reason, and what the count says.
    const { webhookGUID } = items[2] as { webhookGUID: string };
    const query = `webhookGUID=${webhookGUID}&reason=status5xx&kind=event`;
    expect(numbersOf(await get(`/Callouts?${query}`))).toEqual([2, 1]);
    expect(await get(`/Callouts/query/count?state=failed&${query}`)).toMatchObject({ body: { queryCount: 2 } });
    expect(numbersOf(await get('/CompanyWebhooks/1/Callouts?reason=STATUS410'))).toEqual([3]);
    expect(numbersOf(await get('/CompanyWebhooks/1/Callouts?reason=status410&recordID=3'))).toEqual([3]);
    expect(listOf(await get(`/Callouts?calloutID=${gone}`)).items).toMatchObject([{ reason: 'status410' }]);
  });

  it('includes deleted webhooks, and leaves out tests, deactivation calls and other tenants', async () => {
    await fail({ sequenceNumber: 1 }, { status: 500 });
    const test = await fail({ sequenceNumber: 0 }, { status: 500 });
    await pool().query("UPDATE callouts SET kind = 'test' WHERE id = $1", [test]);
    await api.call('DELETE', '/CompanyWebhooks/1', { as: tenant.integrator });
    const { items } = listOf(await get('/Callouts/failed'));
    expect(items).toMatchObject([{ count: 1, webhookState: 'deleted' }]);
    const other = await makeTenantWithWebhooks(api);
    const { webhookGUID } = items[0] as { webhookGUID: string };
    expect(listOf(await get('/Callouts/failed', other.admin)).items).toEqual([]);
    expect(listOf(await get(`/Callouts/failed?webhookGUID=${webhookGUID}`, other.admin)).items).toEqual([]);
  });

  it('is limited to a period, a webhook or an entity', async () => {
    await fail({}, { status: 500 });
    const count = async (query: string) => listOf(await get(`/Callouts/failed?${query}`)).items.length;
    const [past, future] = [new Date(Date.now() - 60_000).toISOString(), new Date(Date.now() + 60_000).toISOString()];
    expect([await count(`since=${past}&until=${future}`), await count(`until=${past}`)]).toEqual([1, 0]);
    expect([await count('entityType=account'), await count('entityType=Contact')]).toEqual([1, 0]);
    expect(await count(`webhookGUID=${randomUUID()}`)).toBe(0);
  });

  it.each([
    ['/Callouts/failed?since=yesterday', 'since'],
    ['/Callouts/failed?since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z', 'until'],
    ["/Callouts/failed?webhookGUID=x'--", 'webhookGUID'],
    ['/Callouts/failed?entityType=Nothing', 'entityType'],
    ['/Callouts/failed?reason=timeout', 'reason'],
    ['/Callouts?reason=nothing', 'reason'],
    ['/Callouts?reason=', 'reason'],
    ['/Callouts?state=failed,cancelled&reason=timeout', 'reason'],
    ['/Callouts?calloutID=7', 'calloutID'],
    ['/Callouts/export?reason=busy', 'reason'],
    ['/Callouts/export?maxRecords=5', 'maxrecords'],
  ])('and refuses %s', async (path, field) => {
    expect(await get(path)).toMatchObject({ status: 400, body: { details: [{ field }] } });
  });

  it('is for those who may see webhooks', async () => {
    expect(await get('/Callouts/failed', tenant.source)).toMatchObject({ status: 403 });
    expect(await get('/Callouts/export', tenant.source)).toMatchObject({ status: 403 });
  });
});

/** Begins to read an export, without reading more than its headers. */
function open(path: string, as: TestCredential = tenant.integrator): Promise<IncomingMessage> {
  const headers = { UserName: as.userName, Secret: as.secret, ApiIntegrationCode: as.apiIntegrationCode };
  return new Promise((resolve, reject) => {
    request(`${api.url}/atservicesrest/v1.0${path}`, { headers, agent: false }, resolve).on('error', reject).end();
  });
}

async function linesOf(response: IncomingMessage): Promise<Record<string, unknown>[]> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += String(part);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('GET /Callouts/export', () => {
  /** Callouts that failed, each with an answer of 60 KiB. */
  const failMany = async (count: number) => {
    await fail({ sequenceNumber: 1 }, { status: 500 });
    await pool().query(
      `WITH n AS (SELECT gen_random_uuid() AS attempt, g,
           (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - g), 12, '0') || '7000' || lpad(to_hex($1 * 1000000 + g), 16, '8'))::uuid AS id
         FROM generate_series(2, $2) AS g
       ), w AS (SELECT key FROM webhooks WHERE tenant_id = $1 AND id = 1), c AS (
         INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, state, finished_at)
         SELECT n.id, $1, w.key, g, 'Account', g, 'Update', 'failed', now() FROM n, w
       ), b AS (
         INSERT INTO callout_bodies (callout_id, body) SELECT id, '{"Id":' || g || '}' FROM n
       )
       INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
         response_headers, response_body)
       SELECT n.id, n.id, $1, w.key, 1, now(), 1, 'http://x', '{}', 500, '{}', convert_to(repeat('x', 60000), 'UTF8') FROM n, w`,
      [tenant.id, count],
    );
  };

  it('has a line for each callout that the filter means, with body and last attempt, signatures redacted', async () => {
    const id = await fail({ sequenceNumber: 4, recordId: 7 }, { status: 500 });
    await insertLoggedCallout(api, tenant.id, { state: 'delivered', sequenceNumber: 5 });
    await pool().query(
      `UPDATE attempts SET request_headers = '{"webhook-signature":"v1,signature","X-Hook-Signature":"sha1=signature"}' WHERE callout_id = $1`,
      [id],
    );
    const response = await open('/Callouts/export?state=failed');
    expect(response.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': 'attachment; filename="callouts.jsonl"',
    });
    const lines = await linesOf(response);
    expect(lines).toMatchObject([
      {
        id,
        recordID: 7,
        reason: 'status5xx',
        body: '{"Action":"Update","Id":7}',
        lastAttempt: { number: 2, status: 500, failure: expect.stringContaining('answered 500') },
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/v1,signature|sha1=signature/u);
    expect(await linesOf(await open('/Callouts/export?state=cancelled'))).toEqual([]);
  });

  it('has every callout once, over many pages, in the order of the list', async () => {
    await failMany(1_100);
    const lines = await linesOf(await open('/Callouts/export?state=failed'));
    expect(lines).toHaveLength(1_100);
    const ids = lines.map(({ id }) => String(id));
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
  });

  it('waits for a slow reader without a connection, is one at a time, and ends when the reader goes', async () => {
    await failMany(600);
    const response = await open('/Callouts/export');
    expect(response.statusCode).toBe(200);
    // These 36 MB are more than the buffers of the connection take: it waits.
    await eventually(async () => {
      const { rows } = await pool().query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()",
      );
      expect(rows).toEqual([]);
    });
    const second = await open('/Callouts/export');
    expect([second.statusCode, second.headers['retry-after']]).toEqual([429, '30']);
    expect(await linesOf(second)).toMatchObject([failure('tooManyRequests')]);
    const other = await makeTenantWithWebhooks(api);
    await insertLoggedCallout(api, other.id, { state: 'failed', sequenceNumber: 1 });
    // Those of others read theirs to the end meanwhile, one after the other.
    for (let n = 0; n < 2; n += 1) {
      expect(await linesOf(await open('/Callouts/export', other.integrator))).toHaveLength(1);
    }
    response.destroy();
    await eventually(async () => {
      const again = await open('/Callouts/export?calloutID=' + newId());
      again.resume();
      expect(again.statusCode).toBe(200);
    });
  });

  it('leaves out what is dropped while it is read', async () => {
    await failMany(600);
    const response = await open('/Callouts/export');
    await pool().query('DELETE FROM callouts WHERE tenant_id = $1 AND sequence_number > 100', [tenant.id]);
    const lines = await linesOf(response);
    expect(lines.length).toBeGreaterThanOrEqual(100);
    expect(lines.length).toBeLessThan(600);
    expect(response.complete).toBe(true);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, forThisFile, useCallout, type TenantUnderTest } from '@callout/testing';
import { startCollector } from './collector.fixture.ts';

const collector = forThisFile(startCollector, ({ stop }) => stop());
// The API and the worker that come with it trace nothing, and the worker only sends mail.
const callout = useCallout({ WORKER_ROLES: 'notify', RETRY_SCHEDULE: '100ms' });
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const given = `00-${traceId}-00f067aa0ba902b7-01`;
let url: string;
let workerPort: number;
let tenant: TenantUnderTest;

beforeAll(async () => {
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  url = await callout.api(traced);
  const worker = await callout.worker({ ...traced, WORKER_ROLES: 'match,deliver,sweep' });
  workerPort = await worker.ready();
  tenant = await callout.tenant();
});

/** Reports that a company has another name. */
async function report(recordId: number, companyName: string, headers: Record<string, string> = {}): Promise<void> {
  const { userName, secret, apiIntegrationCode } = tenant.source;
  const answer = await fetch(`${url}/atservicesrest/v1.0/EntityEvents`, {
    method: 'POST',
    headers: {
      ...headers,
      UserName: userName,
      Secret: secret,
      ApiIntegrationCode: apiIntegrationCode,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({
      events: [{ entityType: 'Account', action: 'Create', id: recordId, fields: { companyName } }],
    }),
  });
  expect(answer.status).toBe(202);
}

const ofTrace = (id: string) => collector.spans().filter((span) => span.traceId === id);

describe('a trace', () => {
  it('goes from the request that brought an event through match and every attempt, and on to the receiver', async () => {
    const webhook = await callout.webhook(tenant);
    webhook.answer((_request, nth) => ({ status: nth === 1 ? 503 : 200 }));
    await report(1, 'a secret name', { traceparent: given });
    await eventually(() => {
      const names = ofTrace(traceId).map(({ name }) => name);
      expect(names.filter((name) => name === 'attempt')).toHaveLength(2);
      // One more where the second result was presumed to find nothing wrong, and was decided under the locks then.
      expect(names.filter((name) => name === 'settle').length).toBeGreaterThanOrEqual(2);
      expect(names).toEqual(
        expect.arrayContaining(['POST /EntityEvents', 'commit', 'intake_lock', 'intake_store', 'match', 'match_store']),
      );
    });
    const spans = ofTrace(traceId);
    const request = spans.find(({ name }) => name === 'POST /EntityEvents');
    expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7', service: 'callout-api', kind: 2 });
    for (const name of ['commit', 'match', 'attempt', 'settle']) {
      const parents = spans.filter((span) => span.name === name).map(({ parentSpanId }) => parentSpanId);
      expect(new Set(parents)).toEqual(new Set([request?.spanId]));
    }
    const statement = spans.find(({ name }) => name === 'match_store');
    expect(statement?.parentSpanId).toBe(spans.find(({ name }) => name === 'match')?.spanId);
    expect(statement?.service).toBe('callout-worker');
    // The receiver can go on with it: each attempt names its own span.
    const attempts = spans.filter(({ name }) => name === 'attempt').map(({ spanId }) => `00-${traceId}-${spanId}-01`);
    expect(webhook.requests().map(({ headers }) => headers['traceparent'])).toEqual(attempts);
  });

  it('has no value of a customer in it: no field, no address, no secret', async () => {
    for (const value of ['a secret name', 'webhook-1', tenant.source.secret, tenant.source.userName]) {
      expect(collector.text()).not.toContain(value);
    }
  });

  it('begins with the request where its caller traces nothing, or sends what is no trace', async () => {
    const webhook = await callout.webhook(tenant);
    const hostile = `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`;
    await report(2, 'first', { traceparent: hostile });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    const [, own = ''] = String(webhook.requests()[0]?.headers['traceparent']).split('-');
    await eventually(() => {
      const [request] = ofTrace(own).filter(({ name }) => name === 'POST /EntityEvents');
      expect(request?.parentSpanId ?? '').toBe('');
      expect(request).toBeDefined();
    });
  });

  it('is not recorded where its caller says so, and passed on all the same', async () => {
    const webhook = await callout.webhook(tenant);
    const unsampled = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
    await report(3, 'second', { traceparent: `00-${unsampled}-00f067aa0ba902b7-00` });
    await eventually(() => expect(webhook.requests()).toHaveLength(1));
    expect(webhook.requests()[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${unsampled}-[0-9a-f]{16}-00$`));
    // What came after it has been told by now.
    await report(4, 'third', { traceparent: `00-${'b'.repeat(32)}-00f067aa0ba902b7-01` });
    await eventually(() => expect(ofTrace('b'.repeat(32)).map(({ name }) => name)).toContain('settle'));
    expect(ofTrace(unsampled)).toEqual([]);
  });

  it('is named by the metrics of calls', async () => {
    const metrics = await fetch(`http://127.0.0.1:${workerPort}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('application/openmetrics-text');
    expect(await metrics.text()).toMatch(/^callout_call_duration_seconds_bucket.* # \{trace_id="[0-9a-f]{32}"\}/m);
  });
});

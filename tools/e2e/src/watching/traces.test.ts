import { beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@callout/client';
import {
  callApi,
  eventually,
  everyCompanyEvent,
  forThisFile,
  registerWebhook,
  type TenantUnderTest,
  useCallout,
} from '@callout/testing';
import { startCollector } from './collector.fixture.ts';

const collector = forThisFile(startCollector, ({ stop }) => stop());
const operatorToken = 'operators-'.repeat(4);
const callout = useCallout(() => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OPERATOR_TOKEN: operatorToken,
  OPERATOR_PORT: '0',
  RETRY_SCHEDULE: '100ms',
}));
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const given = `00-${traceId}-00f067aa0ba902b7-01`;
let tenant: TenantUnderTest;

beforeAll(async () => {
  tenant = await callout.tenant();
});

/** Reports another name of a company. */
async function report(recordId: number, companyName: string, headers: Record<string, string> = {}): Promise<void> {
  const client = createClient({ baseUrl: `${callout.url}/atservicesrest`, credential: tenant.source, retry: false });
  await client.POST('/v1.0/EntityEvents', {
    headers,
    body: { events: [{ entityType: 'Account', action: 'Create', id: recordId, fields: { companyName } }] },
  });
}

it('spans are sent in protobuf where OTEL_EXPORTER_OTLP_TRACES_PROTOCOL asks for it', async () => {
  const url = await callout.api({ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' });
  await fetch(`${url}/atservicesrest/v1.0/Version`);
  await eventually(() => collector.protobuf().some((body) => body.includes('GET /Version')));
  expect(Buffer.concat(collector.protobuf()).includes('callout-api')).toBe(true);
});

const ofTrace = (id: string) => collector.spans().filter((span) => span.traceId === id);

describe('a trace', () => {
  it('goes from the request that brought an event through match and every attempt, and on to the receiver', async () => {
    const webhook = await callout.webhook(tenant);
    webhook.answer((_request, nth) => ({ status: nth === 1 ? 503 : 200 }));
    await report(1, 'a secret name', { traceparent: given });
    await eventually(() => {
      const names = ofTrace(traceId).map(({ name }) => name);
      expect(names.filter((name) => name === 'attempt')).toHaveLength(2);
      expect(names.filter((name) => name === 'settle')).toHaveLength(2);
      expect(names).toEqual(
        expect.arrayContaining(['POST /EntityEvents', 'commit', 'ingest_lock', 'ingest_store', 'match', 'match_store']),
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
    // Later spans are reported by now.
    await report(4, 'third', { traceparent: `00-${'b'.repeat(32)}-00f067aa0ba902b7-01` });
    await eventually(() => expect(ofTrace('b'.repeat(32)).map(({ name }) => name)).toContain('settle'));
    expect(ofTrace(unsampled)).toEqual([]);
  });

  it('goes on to a program that fetches, and to what it says of the callout', async () => {
    const id = await registerWebhook(Number(new URL(callout.url).port), tenant.integrator, {
      ...everyCompanyEvent,
      url: 'pull:',
    });
    const ask = async (path: string, body: object): Promise<unknown> => {
      const port = Number(new URL(callout.url).port);
      const reply = await callApi(port, tenant.integrator, {
        method: 'POST',
        path: `/CompanyWebhooks/${id}/${path}`,
        body,
      });
      if (reply.kind !== 'answered' || reply.status !== 200) throw new Error(JSON.stringify(reply));
      return reply.body;
    };
    const own = 'c'.repeat(32);
    await report(5, 'fetched', { traceparent: `00-${own}-00f067aa0ba902b7-01` });
    const { items } = (await ask('Pull', { waitSeconds: 60 })) as {
      items: { ackID: string; calloutID: string; headers: Record<string, string> }[];
    };
    expect(items).toHaveLength(1);
    await ask('Pull/ack', { acks: items.map(({ ackID }) => ackID) });
    // Other webhooks have the event, too: a worker settles their callouts.
    const names = ['POST /EntityEvents', 'hand out', 'settle'];
    const ofApi = () => ofTrace(own).filter(({ service }) => service === 'callout-api');
    await eventually(() => expect(ofApi().map(({ name }) => name)).toEqual(expect.arrayContaining(names)));
    const request = ofTrace(own).find(({ name }) => name === 'POST /EntityEvents');
    const traceparent = `00-${own}-${request?.spanId}-01`;
    expect(items[0]?.headers['traceparent']).toBe(traceparent);
    for (const name of ['hand out', 'settle']) {
      expect(ofApi().find((span) => span.name === name)?.parentSpanId).toBe(request?.spanId);
    }
    // The log shows the handed out callouts.
    const [attempt] = await callout.database.prisma.attempt.findMany({
      where: { calloutId: items[0]?.calloutID ?? '' },
    });
    expect(attempt?.requestHeaders).toMatchObject({ traceparent });
  });

  it('has the requests of the SOAP API, too', async () => {
    const soap = 'd'.repeat(32);
    const { userName, secret, apiIntegrationCode } = tenant.integrator;
    const namespace = 'http://autotask.net/ATWS/v1_6/';
    const answer = await fetch(`${callout.url}/atservices/1.6/atws.asmx`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${userName}:${secret}`).toString('base64')}`,
        'Content-Type': 'text/xml',
        traceparent: `00-${soap}-00f067aa0ba902b7-01`,
      },
      body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Header>
        <AutotaskIntegrations xmlns="${namespace}"><IntegrationCode>${apiIntegrationCode}</IntegrationCode></AutotaskIntegrations>
        </s:Header><s:Body><GetWsdlVersion xmlns="${namespace}"/></s:Body></s:Envelope>`,
    });
    expect(answer.status).toBe(200);
    await eventually(() => {
      const [request] = ofTrace(soap);
      expect(request).toMatchObject({ name: 'POST SOAP GetWsdlVersion', parentSpanId: '00f067aa0ba902b7' });
    });
  });

  it('is named by the metrics of requests, commits, matches, calls, first attempts and results', async () => {
    const texts = await Promise.all(
      [callout.workerUrl, callout.operatorUrl()].map(async (origin) => {
        const metrics = await fetch(`${origin}/metrics`, {
          headers: { authorization: `Bearer ${operatorToken}` },
        });
        expect(metrics.headers.get('content-type')).toContain('application/openmetrics-text');
        return metrics.text();
      }),
    );
    for (const name of [
      'callout_http_request_duration_seconds',
      'callout_intake_commit_duration_seconds',
      'callout_match_duration_seconds',
      'callout_call_duration_seconds',
      'callout_first_attempt_delay_seconds',
      'callout_settle_duration_seconds',
    ]) {
      expect(texts.join('')).toMatch(new RegExp(`^${name}_bucket.* # \\{trace_id="[0-9a-f]{32}"\\}`, 'm'));
    }
  });
});

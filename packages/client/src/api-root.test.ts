import { describe, expect, it } from '@jest/globals';
import { tidyApiRoot } from './api-root.ts';
import { createClient } from './client.ts';

const json = (body: unknown, status = 200) => Response.json(body, { status });
const noPath = () => json({ errors: ['There is no path.'] }, 404);
const webPage = () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html; charset=utf-8' } });

/** A client of an installation, and what it was asked. */
function clientAt(baseUrl: string, answer: (request: Request) => Response) {
  const asked: string[] = [];
  const client = createClient({
    baseUrl,
    credential: { userName: 'crm', secret: 'secret', apiIntegrationCode: 'code' },
    async fetch(request) {
      const who = request.headers.get('Secret') === null ? '' : ' as crm';
      asked.push(`${request.method} ${request.url} ${await request.text()}`.trim() + who);
      return answer(request);
    },
  });
  return { client, asked };
}

const installation = (elsewhere: () => Response) => (request: Request) => {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith('/atservicesrest/v1.0/')) return elsewhere();
  return pathname.endsWith('/Version') ? json({ apiVersion: '1.0' }) : json({ items: [] });
};

describe('the root of the API', () => {
  it.each([
    ['https://callout.example.com', 'https://callout.example.com'],
    ['https://callout.example.com/', 'https://callout.example.com'],
    ['https://callout.example.com/atservicesrest/', 'https://callout.example.com/atservicesrest'],
    ['https://callout.example.com/atservicesrest/v1.0/', 'https://callout.example.com/atservicesrest'],
    ['https://callout.example.com/atservicesrest/V1.0/Companies?x=1', 'https://callout.example.com/atservicesrest'],
    ['https://callout.example.com/console#link=abc', 'https://callout.example.com'],
    ['https://callout.example.com/x/console/webhooks/3', 'https://callout.example.com/x'],
    ['https://callout.example.com/docs/api', 'https://callout.example.com'],
    ['https://callout.example.com/docs/atservicesrest', 'https://callout.example.com/docs/atservicesrest'],
    ['https://docs/', 'https://docs'],
    ['/atservicesrest', '/atservicesrest'],
  ])('of %s is below %s', (given, root) => {
    expect(tidyApiRoot(given)).toBe(root);
  });

  it.each([
    ['404', noPath],
    ['a web page', webPage],
  ])('is looked for once where the URL answers %s', async (_what, elsewhere) => {
    const { client, asked } = clientAt('http://callout/console', installation(elsewhere));
    const body = { events: [] };
    const headers = { 'Idempotency-Key': 'k' };
    await client.POST('/v1.0/EntityEvents', { body, headers });
    await client.GET('/v1.0/Webhooks');
    expect(asked).toEqual([
      'POST http://callout/v1.0/EntityEvents {"events":[]} as crm',
      'GET http://callout/atservicesrest/v1.0/Version',
      'POST http://callout/atservicesrest/v1.0/EntityEvents {"events":[]} as crm',
      'GET http://callout/atservicesrest/v1.0/Webhooks as crm',
    ]);
  });

  it('costs no request where the URL works, also for what it does not have', async () => {
    const answers = [json({ items: [] }), noPath()];
    const { client, asked } = clientAt('http://callout/api', () => answers.shift() ?? noPath());
    await client.GET('/v1.0/Webhooks');
    await expect(client.GET('/v1.0/Webhooks')).rejects.toMatchObject({ status: 404 });
    expect(asked).toHaveLength(2);
    const usual = clientAt('http://callout/atservicesrest/v1.0', noPath);
    await expect(usual.client.GET('/v1.0/Webhooks')).rejects.toMatchObject({ status: 404 });
    expect(usual.asked).toEqual(['GET http://callout/atservicesrest/v1.0/Webhooks as crm']);
  });

  it('is not made up where there is none', async () => {
    const { client } = clientAt('http://callout', noPath);
    await expect(client.GET('/v1.0/Webhooks')).rejects.toMatchObject({
      status: 404,
      message: 'There is no path.',
    });
  });
});

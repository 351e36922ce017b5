import { expect, it } from '@jest/globals';
import { createClient, createOperatorClient } from '@callout/client';

/** A client whose requests are answered by nobody's service, and where they went. */
function recorded() {
  const sent: string[] = [];
  const fetch = async ({ method, url }: Request) => {
    sent.push(`${method} ${url.slice('http://callout'.length)}`);
    return Response.json({ item: { id: 1, name: 'acme' }, items: [], itemId: 1 });
  };
  return {
    sent,
    client: createClient({ baseUrl: 'http://callout', fetch }),
    operator: createOperatorClient({ baseUrl: 'http://callout', fetch }),
  };
}

it('types paths, parameters, bodies and answers by the document, and data is always there', async () => {
  const { sent, client, operator } = recorded();
  const params = { path: { id: 1 } };
  const { data: webhook } = await client.GET('/v1.0/CompanyWebhooks/{id}', { params });
  const name: string | undefined = webhook.item.name;
  const { data: page } = await client.GET('/v1.0/Callouts', { params: { query: { state: 'failed', maxRecords: 5 } } });
  const ids: readonly string[] = page.items.map(({ id }) => id);
  const { data: made } = await client.POST('/v1.0/CompanyWebhooks', {
    body: { name: 'a', webhookUrl: 'pull:', deactivationUrl: 'pull:', secretKey: 'a secret', isActive: true },
  });
  const itemId: number = made.itemId;
  const { data: tenant } = await operator.GET('/tenants/{tenantId}', { params: { path: { tenantId: 1 } } });
  const tenantName: string = tenant.item.name;
  await client.PATCH('/v1.0/CompanyWebhooks', { body: { id: 1, name: 'b' } });
  await client.GET('/v1.0/ThresholdInformation');
  expect([name, ids, itemId, tenantName]).toEqual(['acme', [], 1, 'acme']);
  expect(sent).toEqual([
    'GET /v1.0/CompanyWebhooks/1',
    'GET /v1.0/Callouts?state=failed&maxRecords=5',
    'POST /v1.0/CompanyWebhooks',
    'GET /tenants/1',
    'PATCH /v1.0/CompanyWebhooks',
    'GET /v1.0/ThresholdInformation',
  ]);
});

it('refuses at compile time what the document does not have', async () => {
  const { sent, client } = recorded();
  const params = { path: { id: 1 } };
  // @ts-expect-error a path needs its parameters
  await client.GET('/v1.0/CompanyWebhooks/{id}');
  // @ts-expect-error no such path
  await client.GET('/v1.0/CompanyWebhook/{id}', { params });
  // @ts-expect-error no such method
  await client.DELETE('/v1.0/ThresholdInformation');
  // @ts-expect-error a query parameter that is a number
  await client.GET('/v1.0/Callouts', { params: { query: { maxRecords: 'all' } } });
  // @ts-expect-error a body that names no webhook
  await client.PATCH('/v1.0/CompanyWebhooks', { body: { name: 'a' } });
  // @ts-expect-error the name is text
  await client.PATCH('/v1.0/CompanyWebhooks/{id}', { params, body: { name: 1 } });
  // @ts-expect-error no such property in an answer
  expect((await client.GET('/v1.0/CompanyWebhooks/{id}', { params })).data.item.title).toBeUndefined();
  expect(sent).toHaveLength(7);
});

import { expect, it } from '@jest/globals';
import { createClient } from '@callout/client';
import { eventually } from '@callout/testing';
import { callout } from '../one-callout.fixture.ts';

it('without tracing, the trace of a caller is passed on as it came, and none is made', async () => {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  const client = createClient({ baseUrl: `${callout.url}/atservicesrest`, credential: tenant.source });
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const given = [{ traceparent }, {}, { traceparent: 'Robert"); DROP TABLE events' }];
  for (const [nth, headers] of given.entries()) {
    await client.POST('/v1.0/Companies', {
      headers,
      body: { companyName: `company ${nth}`, companyType: 1, ownerResourceID: 1, phone: '1' },
    });
    await eventually(() => expect(webhook.requests()).toHaveLength(nth + 1));
  }
  expect(webhook.requests().map(({ headers }) => headers['traceparent'])).toEqual([traceparent, undefined, undefined]);
});

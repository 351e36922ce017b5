import { expect, it } from '@jest/globals';
import { eventually, useCallout } from '@callout/testing';

const callout = useCallout();

it('tries again after a response that says no', async () => {
  const tenant = await callout.tenant();
  const webhook = await callout.webhook(tenant);
  webhook.answer((_request, nth) => ({ status: nth === 1 ? 503 : 200 }));
  await callout.send(tenant, { entityType: 'Account', action: 'Create', id: 7, fields: { companyName: 'Acme' } });
  await eventually(() => expect(webhook.requests()).toHaveLength(2));
  const [first, second] = webhook.requests();
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
});

import { expect, it } from '@jest/globals';
import { runTestApi } from '../../../fixtures/run-test-api.ts';
import { makeTenant } from '../../../fixtures/test-tenant.ts';
import { webhookBody } from '../../../fixtures/webhook-body.ts';
import { itemOf } from '../listed.fixture.ts';

const api = runTestApi();

type Item = Readonly<Record<string, unknown>>;

it('a described event, the stored one and a preview have one outcome, for the webhook as stored and as described', async () => {
  const { integrator, source } = await makeTenant(api.database);
  const post = async (path: string, body: object, as = integrator) => api.call('POST', path, { as, body });
  const webhook = webhookBody({
    fields: [{ field: 'companyName', isSubscribedField: true }],
    condition: { op: 'eq', field: 'companyName', value: 'Bee' },
    includePreviousValues: true,
  });
  await post('/CompanyWebhooks', webhook);
  const event = { entityType: 'Account', action: 'Update', id: 1, resourceID: 1, eventTime: '2026-03-04T05:06:07Z' };
  await post('/EntityEvents', { events: [{ ...event, fields: { companyName: 'Ant' } }] }, source);
  const changed = { ...event, fields: { companyName: 'Bee' } };
  const outcomes: Item[] = [
    itemOf(await post('/CompanyWebhooks/1/simulate', changed)),
    itemOf(await post('/CompanyWebhooks/simulate', { webhook, event: changed })),
  ];
  await post('/EntityEvents', { events: [{ ...changed, eventID: 'bee' }] }, source);
  outcomes.push(
    itemOf(await post('/CompanyWebhooks/1/preview', {})),
    itemOf(await post('/CompanyWebhooks/preview', { webhook })),
  );
  const [expected] = outcomes.map(decisionOf);
  expect(expected).toMatchObject({
    getsCallout: true,
    previousFields: { companyName: 'Ant' },
    condition: { holds: true },
  });
  for (const outcome of outcomes) expect(decisionOf(outcome)).toEqual(expected);

  const guid = String(outcomes[0]?.['webhookGUID']);
  const explained = itemOf(await api.call('GET', `/EntityEvents/bee/explain?webhookGUID=${guid}`, { as: integrator }));
  expect(Object.keys(explained).toSorted()).toEqual(Object.keys(outcomes[0] ?? {}).toSorted());
});

it('has one schema in the document, whichever way it is asked for', async () => {
  const response = await fetch(`${api.url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const asking = Object.entries(paths).filter(([path]) => /\/(?:explain|simulate|preview)$/u.test(path));
  expect(asking.length).toBeGreaterThan(4);
  for (const [path, methods] of asking) {
    const [operation] = Object.values(methods);
    expect([path, JSON.stringify((operation as { responses: object }).responses)]).toEqual([
      path,
      expect.stringContaining('#/components/schemas/EventOutcome'),
    ]);
  }
});

/** An outcome without what only a stored event or webhook has. */
function decisionOf({ eventID: _event, webhookID: _id, webhookGUID, comparison: _comparison, request, ...rest }: Item) {
  const { body } = request as { body: string };
  return { ...rest, body: body.replace(String(webhookGUID), 'guid') };
}

import { beforeEach, describe, expect, it } from '@jest/globals';
import { insertLoggedCallout, logOneOfEach } from '../../fixtures/logged-callout.ts';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { makeTenant, tenantPerTest } from '../../fixtures/test-tenant.ts';
import { webhookBody } from '../../fixtures/webhook-body.ts';
import { listOf, numbersOf } from './listed.fixture.ts';

const api = runTestApi();
const tenant = tenantPerTest(() => makeTenant(api.database));

beforeEach(async () => {
  await make('/CompanyWebhooks');
});

const CALLOUTS = '/CompanyWebhooks/1/Callouts';

const make = (path: string) => api.call('POST', path, { as: tenant.integrator, body: webhookBody() });
const get = (path: string, as = tenant.integrator) => api.call('GET', path, { as });

describe('the callouts of a webhook', () => {
  it.each([
    ['state=failed', [2]],
    ['STATE=Failed,CANCELLED', [3, 2]],
    ['state=waiting, due', [6, 4]],
    ['state=held', [5]],
    ['state=held,delivered', [5, 1]],
    ['state=waiting,held,due,delivered,failed,cancelled', [6, 5, 4, 3, 2, 1]],
    ['recordID=102', [3]],
    ['recordID=105&state=due', [6]],
    ['recordID=105&state=waiting', []],
    ['action=create', [1]],
    ['action=Create,Update&state=delivered', [1]],
    ['kind=event&state=failed', [2]],
    ['kind=test,deactivation', []],
    ['fromSequence=5', [6, 5]],
    ['toSequence=2', [2, 1]],
    ['fromsequence=2&tosequence=4', [4, 3, 2]],
    ['fromSequence=2&toSequence=4&state=failed', [2]],
    ['fromSequence=7', []],
    ['since=2020-01-01', [6, 5, 4, 3, 2, 1]],
    ['until=2020-01-01', []],
    ['since=0001-01-01&until=9999-12-31T23:59:59Z', [6, 5, 4, 3, 2, 1]],
  ])('are filtered, and counted alike: %s', async (filter, expected) => {
    await logOneOfEach(api, tenant.id);
    expect({ [filter]: numbersOf(await get(`${CALLOUTS}?${filter}`)) }).toEqual({ [filter]: expected });
    const counted = await get(`${CALLOUTS}/query/count?${filter}`);
    expect(counted).toMatchObject({ status: 200, body: { queryCount: expected.length } });
  });

  it('are filtered by time to the millisecond, the beginning included and the end not', async () => {
    await insertLoggedCallout(api, tenant.id);
    const [callout] = listOf(await get(CALLOUTS)).items;
    const made = new Date(String(callout?.['createDateTime']));
    const at = (ms: number) => encodeURIComponent(new Date(made.getTime() + ms).toISOString());
    expect(numbersOf(await get(`${CALLOUTS}?since=${at(0)}&until=${at(1)}`))).toEqual([1]);
    expect(numbersOf(await get(`${CALLOUTS}?until=${at(0)}`))).toEqual([]);
    expect(numbersOf(await get(`${CALLOUTS}?since=${at(1)}`))).toEqual([]);
  });

  it.each([
    ['state=open', 'state must be one or more of waiting, held, due, delivered, failed, cancelled'],
    ['state=', 'state must be one or more of'],
    ['state=failed,', 'state must be one or more of'],
    ['recordID=first', 'recordID must be an integer from 0'],
    ['recordID=-1', 'recordID must be an integer from 0'],
    ['action=PATCH', 'action must be one or more of Create, Update, Delete, Deactivated'],
    ['kind=probe', 'kind must be one or more of event, deactivation, test'],
    ['since=yesterday', 'since must be a date and time such as 2025-09-15T15:10:00Z'],
    ['since=2025-09-15T15:10:00+02:00', 'a + in a query string is %2B'],
    ['until=', 'until must be a date and time'],
    ['since=2026-01-02&until=2026-01-02', 'until must be later than since'],
    ['fromSequence=1.5', 'fromSequence must be an integer'],
    ['fromSequence=9&toSequence=3', 'toSequence must be 9 or more'],
    ['toSequence=9007199254740992', 'toSequence must be an integer'],
    ['maxRecords=0', 'maxRecords must be an integer from 1 to 500'],
    ['maxRecords=x', 'maxRecords must be an integer from 1 to 500'],
    ['maxRecords=501', 'maxRecords must be an integer from 1 to 500'],
    ['stat=failed', 'stat is not a parameter here: use state, recordID'],
    ['webhookGUID=1', 'webhookguid is not a parameter here'],
    ['state=due&STATE=held', 'give it once'],
  ])('refuse what is no filter, and say what is: %s', async (filter, sentence) => {
    const response = await get(`${CALLOUTS}?${filter}`);
    expect(response).toMatchObject({ status: 400, body: { errors: [expect.stringContaining(sentence)] } });
  });

  it('speak of the + of an address only where one has become a blank', async () => {
    const sentence = 'since must be a date and time such as 2025-09-15T15:10:00Z';
    const response = await get(`${CALLOUTS}?since=yesterday`);
    expect(response).toMatchObject({ status: 400, body: { errors: [sentence] } });
    const body = { since: 'yesterday' };
    const repair = await api.call('POST', '/CompanyWebhooks/1/redeliver', { as: tenant.integrator, body });
    expect(repair).toMatchObject({ status: 400, body: { errors: [sentence] } });
  });

  it('name everything that is wrong at once', async () => {
    const response = await get(`${CALLOUTS}?state=x&since=y&recordID=z&fromSequence=q`);
    const { details } = response.body as { details: { field: string }[] };
    expect(details.map(({ field }) => field).toSorted()).toEqual(['fromSequence', 'recordID', 'since', 'state']);
  });
});

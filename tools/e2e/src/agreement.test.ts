import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { Credential } from '@callout/client';
import {
  callApi,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
  testRedis,
} from '@callout/testing';
import * as fc from 'fast-check';

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let port: number;

beforeAll(async () => {
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix });
  stops.push(() => setup.stop());
  const api = setup.installation.start('api', 'API');
  port = await api.ready();
  await setup.installation.start('worker', 'worker').ready();
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

type Item = Readonly<Record<string, unknown>>;

/** The item of a call that must succeed. */
async function itemOf(credential: Credential, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Item> {
  const reply = await callApi(port, credential, { method, path, body });
  if (reply.kind === 'answered' && reply.status === 200) return (reply.body as { item: Item }).item;
  throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
}

/** The catalogue's numbers of the fields that webhooks of this test have; the last of the names is of none of them. */
const watchedFields = [2, 11, 16];
const names = ['companyName', 'city', 'phone', 'fax'];

/** The actors: the resources of a tenant under test. */
type Actor = 'sourceId' | 'colleagueId';
const actor = fc.constantFrom<Actor>('sourceId', 'colleagueId');

const webhook = fc.record({
  // Mostly so that the later rules get their turn.
  isActive: fc.constantFrom(true, true, true, false),
  onCreate: fc.constantFrom(true, true, false),
  onUpdate: fc.constantFrom(true, true, true, false),
  onDelete: fc.boolean(),
  fields: fc.uniqueArray(
    fc.record({
      fieldID: fc.constantFrom(...watchedFields),
      isSubscribedField: fc.boolean(),
      isDisplayAlwaysField: fc.boolean(),
    }),
    { maxLength: 3, selector: ({ fieldID }) => fieldID },
  ),
  excluded: fc.constantFrom<Actor[]>([], [], ['colleagueId'], ['sourceId']),
  condition: fc.constantFrom<object | null>(
    null,
    { op: 'eq', field: 'companyName', value: 'b' },
    { op: 'changedFrom', field: 'companyName', value: 'a' },
    {
      op: 'or',
      items: [
        { op: 'changedTo', field: 'city', value: null },
        { op: 'exist', field: 'previous.phone' },
      ],
    },
  ),
});

const event = fc.record({
  action: fc.constantFrom('Create', 'Update', 'Update', 'Update', 'Delete'),
  id: fc.constantFrom(1, 2),
  actor,
  // Few values, so that an update often repeats the known ones.
  fields: fc.dictionary(fc.constantFrom(...names), fc.constantFrom('a', 'b', null), { maxKeys: 3 }),
});

type Webhook = typeof webhook extends fc.Arbitrary<infer Drawn> ? Drawn : never;
type Event = typeof event extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const subscribed = (fieldID: number) => ({ fieldID, isSubscribedField: true, isDisplayAlwaysField: false });
const [companyName, city] = [2, 11];
const wanting: Webhook = {
  isActive: true,
  onCreate: true,
  onUpdate: true,
  onDelete: true,
  fields: [subscribed(companyName)],
  excluded: [],
  condition: null,
};
/** A webhook for each rule that can decide, and an event for which they do: the agreement covers every rule. */
const everyRule: [Webhook[], Event[]] = [
  [
    { ...wanting, isActive: false },
    { ...wanting, onUpdate: false },
    { ...wanting, fields: [] },
    { ...wanting, fields: [subscribed(city)] },
    { ...wanting, excluded: ['sourceId'] },
    { ...wanting, condition: { op: 'eq', field: 'companyName', value: 'b' } },
    wanting,
  ],
  [{ action: 'Update', id: 1, actor: 'sourceId', fields: { companyName: 'a' } }],
];

it('simulate, the dispatcher and explain agree about every webhook and event', async () => {
  const decided: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(webhook, { minLength: 1, maxLength: 3 }),
      fc.array(event, { minLength: 1, maxLength: 4 }),
      async (webhooks, events) => {
        const tenant = await setup.tenant();
        const { integrator, source } = tenant;
        const ids: number[] = [];
        for (const { excluded, ...settings } of webhooks) {
          const excludedResourceIds = excluded.map((who) => tenant[who]);
          const whole = { ...everyCompanyEvent, ...settings, excludedResourceIds, url: setup.receiver.url('/in') };
          ids.push(await registerWebhook(port, integrator, whole));
        }
        for (const [index, { actor: who, ...rest }] of events.entries()) {
          const eventTime = `2026-03-04T05:06:0${index}Z`;
          const supposed = { ...rest, entityType: 'Account', resourceID: tenant[who], eventTime };
          const simulated = await Promise.all(
            ids.map((id) => itemOf(integrator, 'POST', `/CompanyWebhooks/${id}/simulate`, supposed)),
          );
          const eventID = `e-${index}`;
          const body = { events: [{ ...supposed, eventID }] };
          await callApi(port, source, { method: 'POST', path: '/EntityEvents', body });
          const state = await dispatched(source, eventID);
          for (const item of simulated) {
            expect(item['isEvent']).toBe(state !== 'unchanged');
            if (state !== 'unchanged') decided.push(await expectAgreement(integrator, eventID, item));
          }
        }
      },
    ),
    { numRuns: 20, examples: [everyRule] },
  );
  expect(new Set(decided)).toEqual(
    new Set([
      'inactive',
      'actionNotSubscribed',
      'notReady',
      'noSubscribedFieldChanged',
      'actorExcluded',
      'condition',
      'passed',
    ]),
  );
});

/** Waits until an event has been matched; or it made none, since it changed nothing. */
async function dispatched(source: Credential, eventID: string): Promise<unknown> {
  let state: unknown;
  await eventually(async () => {
    ({ state } = await itemOf(source, 'GET', `/EntityEvents/${eventID}`));
    return state !== 'pending';
  });
  return state;
}

/** @returns the rule that decided. */
async function expectAgreement(integrator: Credential, eventID: string, simulated: Item): Promise<unknown> {
  const { webhookID, webhookGUID, getsCallout, rule, message, rules, request } = simulated;
  const query = `?webhookGUID=${String(webhookGUID)}`;
  const explained = await itemOf(integrator, 'GET', `/EntityEvents/${eventID}/explain${query}`);
  expect(explained).toMatchObject({ webhookID, getsCallout, rule, message, rules, hasConfigurationChanged: false });
  const callout = explained['callout'] as Item | null;
  expect(callout !== null).toBe(getsCallout);
  if (callout !== null) {
    const path = `/CompanyWebhooks/${String(webhookID)}/Callouts/${String(callout['id'])}`;
    const made = await itemOf(integrator, 'GET', path);
    expect(made).toMatchObject({ body: (request as Item)['body'], sequenceNumber: callout['sequenceNumber'], eventID });
  }
  return rule;
}

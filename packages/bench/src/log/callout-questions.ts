import type { CalloutFilter, CalloutScope } from '@callout/db/log';
import { expectedOf } from './expected.ts';
import { actionOf, WEBHOOKS_OF_LARGE_TENANT, type MadeCallout } from './history.ts';
import { PAGE, type Asking, type Question } from './question.ts';
import { countOf, idsOf, readCallout } from './read-answer.ts';

const everything: CalloutFilter = {
  ...{ since: null, until: null, states: null, fromSequence: null, toSequence: null },
  ...{ recordId: null, actions: null, kinds: null },
};
/** The large webhook is the tenant's first. */
const LARGE = '/CompanyWebhooks/1/Callouts';
const HOUR_MS = 3_600_000;

/** A list that is filtered, as a query string and as what it must show. */
type AskList = (random: () => number) => { readonly query: string; readonly expected: readonly string[] };

/** What is asked about callouts, in the order of the report. */
export function calloutQuestions({ history, tenantId, webhookKey }: Asking): Question[] {
  const { ownEvents, records } = history;
  const { last, middle, anyEvent, anyRecord, acceptedMs, large, both, newest, eventsOf } = expectedOf(history);
  const ofWebhook: CalloutScope = { tenantId, webhooks: { key: webhookKey } };
  const ofTenant: CalloutScope = { tenantId, webhooks: { entityType: null, guid: null } };
  const listOf =
    (scope: CalloutScope, path: string) =>
    (name: string, filter: Partial<CalloutFilter>, list: AskList): Question => ({
      name,
      read: idsOf,
      look: (logs) => logs.callouts.page(scope, { ...everything, ...filter }, PAGE, null),
      ask(random) {
        const { query, expected } = list(random);
        return { path: `${path}?maxRecords=${PAGE}&${query}`, expected };
      },
    });
  const list = listOf(ofWebhook, LARGE);
  const tenantList = listOf(ofTenant, '/Callouts');
  const count = (name: string, query: string, filter: Partial<CalloutFilter>, expected: number): Question => ({
    name,
    read: countOf,
    look: (logs) => logs.callouts.count(ofWebhook, { ...everything, ...filter }),
    ask: () => ({ path: `${LARGE}/query/count?${query}`, expected }),
  });
  /** The answer is the same each time, so it is worked out once. */
  const always = (query: string, expected: readonly string[]) => () => ({ query, expected });
  const all = () => true;
  const inState = (state: MadeCallout['state']) => newest((callout) => callout.state === state);
  const ofAction = (action: string) => newest((_, own) => actionOf(history, own) === action);
  const iso = (ms: number) => new Date(ms).toISOString();
  const [middleMs, noRecord] = [acceptedMs(middle), records + 1];
  const aFailed = Math.floor(middle / 50) * 50 + 24;

  return [
    list('first page of a webhook', {}, always('', newest(all))),
    {
      ...list('a page from the middle on, by its cursor', { until: new Date(middleMs) }, always('', [])),
      ask(random) {
        const own = Math.max(PAGE + 1, anyEvent(random));
        const path = `${LARGE}?maxRecords=${PAGE}&until=${iso(acceptedMs(own))}`;
        return { path, isNextPage: true, expected: newest(all, own - 1 - PAGE) };
      },
    },
    list('state=failed', { states: ['failed'] }, always('state=failed', inState('failed'))),
    list('state=cancelled, long ago', { states: ['cancelled'] }, always('state=cancelled', inState('cancelled'))),
    list('recordID', { recordId: 1 }, (random) => {
      const record = anyRecord(random);
      return { query: `recordID=${record}`, expected: eventsOf(record).map((own) => large(own).id) };
    }),
    list('recordID that no callout has', { recordId: noRecord }, (random) => {
      return { query: `recordID=${records + anyRecord(random)}`, expected: [] };
    }),
    list('action=Update, nearly all', { actions: ['Update'] }, always('action=Update', ofAction('Update'))),
    list('action=Delete, few', { actions: ['Delete'] }, always('action=Delete', ofAction('Delete'))),
    list('action=Create, all long ago', { actions: ['Create'] }, always('action=Create', ofAction('Create'))),
    list('action that no callout has', { actions: ['Deactivated'] }, always('action=Deactivated', [])),
    list('kind that no callout has', { kinds: ['test'] }, always('kind=test', [])),
    list('since and until', { since: new Date(middleMs - HOUR_MS), until: new Date(middleMs) }, (random) => {
      const own = anyEvent(random);
      const from = Math.max(0, own - 2 * PAGE);
      const query = `since=${iso(acceptedMs(from))}&until=${iso(acceptedMs(own) + 1)}`;
      return { query, expected: newest(all, own, from) };
    }),
    list('fromSequence and toSequence', { fromSequence: middle - 50, toSequence: middle + 50 }, (random) => {
      const to = 1 + anyEvent(random);
      const from = Math.max(1, to - 50);
      return { query: `fromSequence=${from}&toSequence=${to}`, expected: newest(all, to - 1, from - 1) };
    }),
    count('count of a webhook', '', {}, ownEvents),
    count('count, state=failed', 'state=failed', { states: ['failed'] }, Math.floor((ownEvents + 25) / 50)),
    {
      name: 'one callout, with body and attempts',
      read: readCallout,
      look: (logs) => logs.callouts.find(tenantId, webhookKey, large(aFailed).id),
      ask(random) {
        const { id, sequenceNumber, state, attempts } = large(anyEvent(random));
        return { path: `${LARGE}/${id}`, expected: { id, sequenceNumber, state, attempts } };
      },
    },
    tenantList(
      `/Callouts of ${WEBHOOKS_OF_LARGE_TENANT} webhooks`,
      {},
      always('', pageOf(Array.from({ length: PAGE }, (_, n) => both(last - n)))),
    ),
    tenantList('/Callouts, recordID', { recordId: 1 }, (random) => {
      const record = anyRecord(random);
      return { query: `recordID=${record}`, expected: pageOf(eventsOf(record).map(both)) };
    }),
  ];
}

function pageOf(callouts: readonly (readonly MadeCallout[])[]): string[] {
  return callouts
    .flat()
    .slice(0, PAGE)
    .map(({ id }) => id);
}

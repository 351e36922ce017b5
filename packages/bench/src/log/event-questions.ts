import type { EventFilter } from '@callout/db/log';
import { expectedOf } from './expected.ts';
import { calloutsOfOwn, eventIdOfOwn, eventOfOwn } from './history.ts';
import { PAGE, type Asking, type Question } from './question.ts';
import { idsOf, readEvent, readExplanation } from './read-answer.ts';

const anyFilter: EventFilter = {
  ...{ eventId: null, entityType: null, actions: null, recordId: null, personId: null, since: null, until: null },
};

/** What is asked about events, in the order of the report. */
export function eventQuestions({ history, tenantId, webhookGuid }: Asking): Question[] {
  const { records } = history;
  const { last, middle, anyEvent, anyRecord, large, eventsOf } = expectedOf(history);
  const keyOf = (own: number) => `e-${eventOfOwn(own)}`;
  const look: Question['look'] = (logs) => logs.events.find(tenantId, keyOf(middle));
  const list = (
    name: string,
    filter: Partial<EventFilter>,
    ask: (random: () => number) => { readonly query: string; readonly owns: readonly number[] },
  ): Question => ({
    name,
    read: idsOf,
    look: (logs) => logs.events.page(tenantId, { ...anyFilter, ...filter }, PAGE, null),
    ask(random) {
      const { query, owns } = ask(random);
      const expected = owns.map((own) => eventIdOfOwn(history, own));
      return { path: `/EntityEvents/query?maxRecords=${PAGE}&${query}`, expected };
    },
  });

  return [
    {
      name: 'one event by eventID, with its verdicts',
      read: readEvent,
      look,
      ask(random) {
        const own = anyEvent(random);
        const expected = calloutsOfOwn(history, own).map(({ id, state }) => ({ rule: 'owed', id, state }));
        return { path: `/EntityEvents/${keyOf(own)}`, expected };
      },
    },
    {
      name: 'explain an event for a webhook',
      read: readExplanation,
      look,
      ask(random) {
        const own = anyEvent(random);
        const path = `/EntityEvents/${keyOf(own)}/explain?webhookGUID=${webhookGuid}`;
        return { path, expected: { rule: 'owed', id: large(own).id } };
      },
    },
    list('first page of events', {}, () => ({ query: '', owns: Array.from({ length: PAGE }, (_, n) => last - n) })),
    list('events, recordID', { recordId: 1 }, (random) => {
      const record = anyRecord(random);
      return { query: `entityType=Account&recordID=${record}`, owns: eventsOf(record) };
    }),
    list('events, recordID that no event has', { recordId: records + 1 }, (random) => ({
      query: `recordID=${records + anyRecord(random)}`,
      owns: [],
    })),
  ];
}

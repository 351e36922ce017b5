import { ask } from '../log/ask.ts';
import { calloutQuestions } from '../log/callout-questions.ts';
import { eventQuestions } from '../log/event-questions.ts';
import type { Measured } from '../log/log-report.ts';
import { explaining } from '../log/plans.ts';
import type { History } from '../log/history.ts';
import { withCpuEach } from '../measure/cpu-each.ts';
import type { CallHeaders } from '../setup.ts';
import type { SeededFacts } from './seeded-database.ts';

export interface Asked {
  readonly facts: SeededFacts;
  readonly history: History;
  readonly url: string;
  readonly apiUrl: string;
  /** Of the API, and of PostgreSQL where it runs here. */
  readonly pids: readonly number[];
  readonly headers: CallHeaders;
  readonly times: number;
  /** Loads have added to it, so that answers are not known. */
  readonly isUnknown: boolean;
}

/** What people ask most, by the names of the questions. */
const usual = new Set([
  ...['first page of a webhook', 'a page from the middle on, by its cursor', 'state=failed', 'recordID'],
  ...['count of a webhook', 'one callout, with body and attempts', '/Callouts of 34 webhooks'],
  ...['one event by eventID, with its verdicts', 'explain an event for a webhook', 'first page of events'],
]);

/** Asks the log, and looks at the plans of its statements. */
export async function askAll({
  facts,
  history,
  url,
  apiUrl,
  pids,
  headers,
  times,
  isUnknown,
}: Asked): Promise<Measured[]> {
  const { tenantId, large } = facts;
  const asking = { history, tenantId, webhookKey: large.key, webhookGuid: large.guid };
  return explaining(url, async (look) => {
    const measured: Measured[] = [];
    const questions = [...calloutQuestions(asking), ...eventQuestions(asking)];
    for (const question of questions.filter(({ name }) => usual.has(name))) {
      const one = await withCpuEach(pids, () =>
        ask({ apiUrl, headers, random: Math.random, times, isUnknown }, question),
      );
      measured.push({ ...one, looked: await look(question) });
    }
    return measured;
  });
}

import type { FactsOf, NotificationWebhook, NotificationNames, Description, WrittenWith } from '../text/draft.rules.ts';
import {
  calloutsInWords,
  durationFact,
  isPulled,
  momentFact,
  redeliverFailed,
  waitingFact,
} from '../text/words.rules.ts';

const heldSentence =
  'The threshold still holds callouts of this webhook: they follow as fast as it allows, and those behind them after that.';

/** The mail about a failing webhook of which a callout was delivered. */
export function describeRecovered(
  { since, until, failed, failedSince }: FactsOf<'recovered'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
  { waiting }: Pick<WrittenWith, 'waiting'>,
): Description {
  const what = isPulled(webhook) ? 'can be fetched now' : 'are sent now';
  return {
    headline: `The webhook ${names.webhook} has recovered`,
    opening: ['A callout was delivered again.', failedSentence(failed)],
    facts: [
      ...momentFact('Failing since', since),
      ...momentFact('Recovered', until),
      durationFact(since, until),
      { label: 'Failed', value: calloutsInWords(failed) },
      ...waitingFact(waiting),
    ],
    next: [
      `The callouts that were waiting for their next attempt ${what}. The order per record is kept.`,
      ...(waiting === undefined || waiting.held === 0 ? [] : [heldSentence]),
    ],
    advice:
      failed === 0
        ? [{ say: 'There is nothing to do.' }]
        : redeliverFailed(failed, failedSince, names, 'Redeliver what failed:'),
  };
}

function failedSentence(failed: number): string {
  if (failed === 0) return 'No callout failed in the meantime.';
  return `${calloutsInWords(failed)} failed in the meantime. They are kept, but are not sent again automatically: the command that redelivers them is below.`;
}

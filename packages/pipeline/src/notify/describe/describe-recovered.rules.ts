import type { FactsOf, NotificationWebhook, NotificationNames, Description, WrittenWith } from '../text/draft.rules.ts';
import {
  calloutsInWords,
  durationFact,
  isPulled,
  momentFact,
  redeliverGivenUp,
  waitingFact,
} from '../text/words.rules.ts';

const heldSentence =
  'The threshold still holds callouts of this webhook: they follow as fast as it allows, and those behind them after that.';

/** The mail about a failing webhook of which a callout was delivered. */
export function describeRecovered(
  { since, until, givenUp, givenUpSince }: FactsOf<'recovered'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
  { waiting }: Pick<WrittenWith, 'waiting'>,
): Description {
  const what = isPulled(webhook) ? 'can be fetched now' : 'are sent now';
  return {
    headline: `The webhook ${names.webhook} has recovered`,
    opening: ['A callout was delivered again.', givenUpSentence(givenUp)],
    facts: [
      ...momentFact('Failing since', since),
      ...momentFact('Recovered', until),
      durationFact(since, until),
      { label: 'Given up', value: calloutsInWords(givenUp) },
      ...waitingFact(waiting),
    ],
    next: [
      `The callouts that were waiting for their next attempt ${what}. The order per record is kept.`,
      ...(waiting === undefined || waiting.held === 0 ? [] : [heldSentence]),
    ],
    advice:
      givenUp === 0
        ? [{ say: 'There is nothing to do.' }]
        : redeliverGivenUp(givenUp, givenUpSince, names, 'Redeliver what was given up:'),
  };
}

function givenUpSentence(givenUp: number): string {
  if (givenUp === 0) return 'No callout was given up in the meantime.';
  return `${calloutsInWords(givenUp)} ${givenUp === 1 ? 'was' : 'were'} given up in the meantime. They are kept, but are not sent again automatically: the command that redelivers them is below.`;
}

import type { FactsOf, NotificationWebhook, NotificationNames, Description, WrittenWith } from '../text/draft.rules.ts';
import {
  calloutsInWords,
  durationFact,
  isPulled,
  momentFact,
  redeliverGivenUp,
  waitingFact,
} from '../text/words.rules.ts';

/** The mail about a failing webhook of which a callout was delivered. */
export function describeRecovered(
  { since, until, givenUp, givenUpSince }: FactsOf<'recovered'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
  { waiting }: Pick<WrittenWith, 'waiting'>,
): Description {
  const what = isPulled(webhook) ? 'can be fetched now' : 'are sent now';
  const held = waiting === undefined ? 0 : waiting.held;
  return {
    headline: `The webhook ${names.webhook} has recovered`,
    opening: ['A callout was delivered again.', ...givenUpSentence(givenUp)],
    facts: [
      ...momentFact('Failing since', since),
      ...momentFact('Recovered', until),
      durationFact(since, until),
      ...(typeof givenUp === 'number' ? [{ label: 'Given up', value: calloutsInWords(givenUp) }] : []),
      ...waitingFact(waiting),
    ],
    next: [
      `The callouts that were waiting for their next attempt ${what}. The order per record is kept.`,
      ...(held === 0
        ? []
        : [
            'The threshold still holds callouts of this webhook: they follow as fast as it allows, and those behind them after that.',
          ]),
    ],
    advice: adviceOf(givenUp, givenUpSince, names),
  };
}

function givenUpSentence(givenUp: number | null | undefined): string[] {
  if (typeof givenUp !== 'number') return [];
  if (givenUp === 0) return ['No callout was given up in the meantime.'];
  return [
    `${calloutsInWords(givenUp)} ${givenUp === 1 ? 'was' : 'were'} given up in the meantime. They are kept, but are not sent again automatically: the command that redelivers them is below.`,
  ];
}

function adviceOf(
  givenUp: number | null | undefined,
  givenUpSince: Date | null | undefined,
  names: NotificationNames,
): Description['advice'] {
  if (givenUp === 0) return [{ say: 'There is nothing to do.' }];
  const ofAny = {
    say: 'See whether callouts were given up in the meantime:',
    commands: [`callout deliveries list --webhook ${names.named} --state failed`],
    requests: [`GET ${names.path}/Callouts?state=failed`],
  };
  const redeliver = (say: string) => redeliverGivenUp(givenUp ?? 1, givenUpSince, names, say);
  return typeof givenUp === 'number'
    ? redeliver('Redeliver what was given up:')
    : [ofAny, ...redeliver('If so, redeliver them:')];
}

import type { FactsOf, NotificationNames, Description, WrittenWith } from '../text/draft.rules.ts';
import { counted, durationFact, momentFact, waitingFact } from '../text/words.rules.ts';

/** The mail about callouts that are held. */
export function describeHeld(
  { limit, since }: FactsOf<'thresholdExceeded'>,
  names: NotificationNames,
  { waiting }: Pick<WrittenWith, 'waiting'>,
): Description {
  return {
    headline: `Callouts of ${names.webhook} are being held back`,
    cause: `the threshold of ${counted(limit, 'callout')} an hour is used up`,
    opening: [
      'More callouts are due than the threshold allows. This is no error: the held callouts are kept, and follow later.',
    ],
    facts: [
      ...momentFact('Since', since),
      ...waitingFact(waiting),
      { label: 'Threshold', value: `${counted(limit, 'callout')} an hour, for all ${names.collection} together` },
    ],
    next: [
      'The held callouts are released automatically, oldest first, as fast as the threshold allows; newer ones come after them.',
      'You get one more mail when none is held any more, and none in between.',
    ],
    advice: [
      { say: 'If the delay does no harm, there is nothing to do.' },
      {
        say: 'See what is held:',
        commands: [`callout deliveries list --webhook ${names.named} --state held`],
        requests: [`GET ${names.root}/CalloutThresholds`],
      },
      {
        say: 'If it happens often, let the webhooks subscribe to fewer actions and fields, or ask an operator of this installation for a higher threshold.',
      },
    ],
  };
}

/** The mail when none is held any more. */
export function describeCaughtUp({ since, until, held }: FactsOf<'caughtUp'>, names: NotificationNames): Description {
  return {
    headline: `No callout of ${names.webhook} is held back any more`,
    opening: ['Everything that was held because of the threshold has been released or cancelled.'],
    facts: [
      ...momentFact('Held from', since),
      ...momentFact('Held until', until),
      durationFact(since, until),
      { label: 'Held in all', value: counted(held, 'callout') },
    ],
    next: ['New callouts are not held, until more are due than the threshold allows.'],
    advice: [{ say: 'There is nothing to do.' }],
  };
}

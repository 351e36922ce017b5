import type { FactsOf, NotificationWebhook, NotificationNames, Description } from './description.ts';
import {
  counted,
  durationInWords,
  failureFact,
  momentFact,
  momentInWords,
  numberInWords,
  repairReceiver,
  testReceiver,
  urlInWords,
} from '../text/words.ts';

/** No callout of a webhook has got through for some time. */
export function describeFailing(
  facts: FactsOf<'failing'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
): Description {
  const { failingSince, isPaused, failedInRow, deactivateAfter, openCallouts, deactivationAt } = facts;
  return {
    headline: `The webhook ${names.webhook} is failing.`,
    opening: ['No callout has got through to its receiver for some time. No callout is lost: all of them are kept.'],
    facts: [
      ...momentFact('Failing since', failingSince),
      ...failureFact(facts.lastFailure),
      { label: 'Receiver', value: urlInWords(webhook.webhookUrl) },
      { label: 'Waiting', value: counted(openCallouts, 'callout') },
      ...(deactivateAfter > 0
        ? [{ label: 'Failed in a row', value: `${numberInWords(failedInRow)} of ${numberInWords(deactivateAfter)}` }]
        : []),
      ...(deactivateAfter > 0
        ? [
            {
              label: 'Deactivation',
              value: deactivationAt === null ? 'Not known yet' : `About ${momentInWords(deactivationAt)}`,
            },
          ]
        : []),
    ],
    next: [
      isPaused
        ? 'The receiver seems to be down, so one call now and then finds out whether it is back. Then everything that waits is sent.'
        : 'Callouts that failed are tried again by their schedule.',
      untilDeactivation(facts),
      'You get one more mail when a callout gets through again.',
    ],
    advice: [
      { say: 'Look at the callouts that wait, and at each attempt of one:', requests: [`GET ${names.path}/Callouts`] },
      repairReceiver,
      testReceiver(names),
    ],
  };
}

function untilDeactivation({
  deactivateAfter,
  failedInRow,
  deactivationAt,
  firstGivenUpAt,
}: FactsOf<'failing'>): string {
  if (deactivateAfter === 0) return 'The webhook is not deactivated, however many callouts fail.';
  const rule = `The webhook is deactivated when ${counted(deactivateAfter, 'callout')} in a row have used up their attempts`;
  if (deactivationAt !== null) {
    return `${rule}. If nothing gets through until then, that is about ${momentInWords(deactivationAt)}.`;
  }
  const left = numberInWords(Math.max(1, deactivateAfter - failedInRow));
  const first =
    firstGivenUpAt === null ? '' : ` The first one to use them up does so about ${momentInWords(firstGivenUpAt)}.`;
  return `${rule}; ${left} more have to, and fewer are waiting now, so the date depends on later changes.${first}`;
}

/** A callout of a webhook that was failing got through. */
export function describeRecovered({ since, until }: FactsOf<'recovered'>, names: NotificationNames): Description {
  return {
    headline: `The webhook ${names.webhook} has recovered.`,
    opening: ['A callout got through to its receiver again.'],
    facts: [
      ...momentFact('Failing since', since),
      ...momentFact('Recovered', until),
      { label: 'That is', value: durationInWords(until.getTime() - since.getTime()) },
    ],
    next: ['What waits is sent now, the callouts of each record in their order.'],
    advice: [
      {
        say: 'To find callouts that were given up meanwhile:',
        requests: [`GET ${names.path}/Callouts?state=failed`],
      },
    ],
  };
}

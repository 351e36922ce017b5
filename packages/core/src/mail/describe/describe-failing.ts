import type { FactsOf, NotificationWebhook, NotificationNames, Description } from './description.ts';
import {
  counted,
  durationFact,
  failureFact,
  isPulled,
  momentFact,
  momentInWords,
  numberInWords,
  receiverFact,
  repairReceiver,
  testReceiver,
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
    opening: ['No callout has been delivered for some time. No callout is lost: all of them are kept.'],
    facts: [
      ...momentFact('Failing since', failingSince),
      ...failureFact(facts.lastFailure),
      receiverFact(webhook),
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
        ? 'The receiver seems to be down. From time to time one call is made to find out whether it is back; then everything that waits is sent.'
        : 'Callouts that failed are tried again on their schedule.',
      untilDeactivation(facts),
      'You get one more mail when a callout is delivered again.',
    ],
    advice: [
      { say: 'See the callouts that wait, and the attempts of each:', requests: [`GET ${names.path}/Callouts`] },
      repairReceiver(webhook),
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
    return `${rule}. If nothing is delivered until then, that will be at about ${momentInWords(deactivationAt)}.`;
  }
  const left = counted(Math.max(1, deactivateAfter - failedInRow), 'more callout');
  const first =
    firstGivenUpAt === null ? '' : ` The first of them uses up its attempts at about ${momentInWords(firstGivenUpAt)}.`;
  return `${rule}. That takes ${left}, and fewer are waiting now, so the date is not known.${first}`;
}

/** A callout of a webhook that was failing was delivered. */
export function describeRecovered(
  { since, until }: FactsOf<'recovered'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
): Description {
  const waiting = isPulled(webhook) ? 'can be fetched now' : 'are sent now';
  return {
    headline: `The webhook ${names.webhook} has recovered.`,
    opening: ['A callout was delivered again.'],
    facts: [...momentFact('Failing since', since), ...momentFact('Recovered', until), durationFact(since, until)],
    next: [`The callouts that were waiting ${waiting}, those of each record in their order.`],
    advice: [
      {
        say: 'To find callouts that were given up meanwhile:',
        requests: [`GET ${names.path}/Callouts?state=failed`],
      },
    ],
  };
}

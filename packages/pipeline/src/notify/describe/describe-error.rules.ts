import type { FactsOf, NotificationWebhook, NotificationNames, Description } from '../text/draft.rules.ts';
import {
  causeOf,
  counted,
  failureFact,
  momentFact,
  numberInWords,
  receiverFact,
  repairReceiver,
  testReceiver,
} from '../text/words.rules.ts';

/** The mail about a callout that used up its attempts. */
export function describeError(
  facts: FactsOf<'error'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
  failedAt: Date,
): Description {
  const { sequenceNumber, recordId, attempts, failedInRow, deactivateAfter } = facts;
  const limit = deactivateAfter > 0 ? ` of ${numberInWords(deactivateAfter)}` : '';
  const record = `${names.singular} ${recordId}`;
  return {
    headline: `A callout of ${names.webhook} could not be delivered`,
    cause: causeOf(facts.lastFailure),
    opening: [
      `Callout ${sequenceNumber}, about a change of ${record}, was not delivered in ${counted(attempts, 'attempt')}. It has failed: it is kept, but is not sent again automatically.`,
    ],
    facts: [
      { label: 'Callout', value: facts.calloutId },
      ...failureFact(facts.lastFailure),
      ...momentFact('Failing since', facts.failingSince),
      ...momentFact('Failed', failedAt),
      ...momentFact('Time of the change', facts.eventTime),
      receiverFact(webhook),
      { label: 'Failed in a row', value: numberInWords(failedInRow) + limit },
    ],
    next: [
      untilDeactivation(facts),
      'If more callouts of this webhook fail within 24 hours, you get no other mail about them.',
    ],
    advice: [
      {
        say: 'See every attempt of this callout with its answer, and which others failed:',
        commands: [
          `callout deliveries show ${facts.calloutId}`,
          `callout deliveries list --webhook ${names.named} --state failed`,
        ],
        requests: [`GET ${names.path}/Callouts/${facts.calloutId}`, `GET ${names.path}/Callouts?state=failed`],
      },
      repairReceiver(webhook),
      testReceiver(names),
      {
        say: 'Then redeliver the callouts that failed:',
        commands: [`callout redeliver --webhook ${names.named} --state failed`],
        requests: [`POST ${names.path}/redeliver {"states":["failed"]}`],
      },
    ],
  };
}

function untilDeactivation({ failedInRow, deactivateAfter }: FactsOf<'error'>): string {
  if (deactivateAfter === 0) return 'Later callouts are still delivered, however many fail.';
  if (failedInRow >= deactivateAfter) {
    return `${counted(failedInRow, 'callout')} in a row failed, so the webhook is deactivated. You get another mail about that.`;
  }
  const sofar = `${numberInWords(failedInRow)} ${failedInRow === 1 ? 'has' : 'have'}`;
  return `Later callouts are still delivered. The webhook is deactivated when ${numberInWords(deactivateAfter)} callouts in a row have failed; so far ${sofar}. The next one that is delivered sets the count back to zero.`;
}

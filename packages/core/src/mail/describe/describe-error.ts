import type { FactsOf, NotificationWebhook, NotificationNames, Description } from './description.ts';
import {
  counted,
  failureFact,
  momentFact,
  numberInWords,
  receiverFact,
  repairReceiver,
  testReceiver,
} from '../text/words.ts';

/** A callout used up its attempts. */
export function describeError(
  facts: FactsOf<'error'>,
  webhook: NotificationWebhook,
  names: NotificationNames,
  givenUpAt: Date,
): Description {
  const { sequenceNumber, recordId, attempts, failedInRow, deactivateAfter } = facts;
  const limit = deactivateAfter > 0 ? ` of ${numberInWords(deactivateAfter)}` : '';
  const record = `${names.singular} ${recordId}`;
  return {
    headline: `A callout of ${names.webhook} could not be delivered.`,
    opening: [
      `Callout ${sequenceNumber}, about a change of ${record}, was not delivered in ${counted(attempts, 'attempt')}. It will not be tried again automatically.`,
    ],
    facts: [
      ...(facts.calloutId ? [{ label: 'Callout', value: facts.calloutId }] : []),
      ...failureFact(facts.lastFailure),
      ...momentFact('Failing since', facts.failingSince),
      ...momentFact('Given up', givenUpAt),
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
        say: 'See which callouts failed, and every attempt of one of them with its answer:',
        requests: [
          `GET ${names.path}/Callouts?state=failed`,
          `GET ${names.path}/Callouts/${facts.calloutId ?? '{calloutID}'}`,
        ],
      },
      repairReceiver(webhook),
      testReceiver(names),
      {
        say: 'Then redeliver the callouts that failed:',
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

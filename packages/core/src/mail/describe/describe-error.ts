import type { FactsOf, NotificationWebhook, NotificationNames, Description } from './description.ts';
import {
  counted,
  failureFact,
  momentFact,
  numberInWords,
  repairReceiver,
  testReceiver,
  urlInWords,
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
      `Callout ${sequenceNumber}, about a change of ${record}, was tried ${counted(attempts, 'time')} and did not get through. It will not be tried again by itself.`,
    ],
    facts: [
      ...(facts.calloutId ? [{ label: 'Callout', value: facts.calloutId }] : []),
      ...failureFact(facts.lastFailure),
      ...momentFact('Failing since', facts.failingSince),
      ...momentFact('Given up', givenUpAt),
      ...momentFact('Time of the change', facts.eventTime),
      { label: 'Receiver', value: urlInWords(webhook.webhookUrl) },
      { label: 'Failed in a row', value: numberInWords(failedInRow) + limit },
    ],
    next: [
      untilDeactivation(facts),
      'If more callouts of this webhook fail within 24 hours, there is no other mail about them.',
    ],
    advice: [
      {
        say: 'Look up which callouts failed, and at each attempt of one and its answer:',
        requests: [
          `GET ${names.path}/Callouts?state=failed`,
          `GET ${names.path}/Callouts/${facts.calloutId ?? '{calloutID}'}`,
        ],
      },
      repairReceiver,
      testReceiver(names),
      {
        say: 'Then have the callouts that failed sent again:',
        requests: [`POST ${names.path}/redeliver {"states":["failed"]}`],
      },
    ],
  };
}

function untilDeactivation({ failedInRow, deactivateAfter }: FactsOf<'error'>): string {
  if (deactivateAfter === 0) return 'Later callouts are still sent, however many fail.';
  if (failedInRow >= deactivateAfter) {
    return `${counted(failedInRow, 'callout')} in a row failed: the webhook is deactivated, and another mail tells of that.`;
  }
  const failed = `${numberInWords(deactivateAfter)} callouts in a row have failed`;
  return `Later callouts are still sent. When ${failed}, the webhook is deactivated; so far it is ${numberInWords(failedInRow)}. The next one that succeeds sets the count back to zero.`;
}

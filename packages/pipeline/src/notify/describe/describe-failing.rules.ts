import type { FactsOf, NotificationWebhook, NotificationNames, Description, WrittenWith } from '../text/draft.rules.ts';
import {
  calloutsInWords,
  causeOf,
  counted,
  failureFact,
  isPulled,
  momentFact,
  momentInWords,
  receiverFact,
  redeliverFailed,
  repairReceiver,
  sumOfWaiting,
  testReceiver,
  waitingFact,
} from '../text/words.rules.ts';

type Failing = FactsOf<'failing'>;

/** The mail about a webhook of which no callout has been delivered for some time. */
export function describeFailing(
  facts: Failing,
  webhook: NotificationWebhook,
  names: NotificationNames,
  { writtenAt, waiting }: WrittenWith,
): Description {
  const { failingSince, deactivationAt, deactivateAfter } = facts;
  const { failed } = facts;
  const next = facts.nextAttemptAt !== null && facts.nextAttemptAt > writtenAt ? facts.nextAttemptAt : null;
  const deactivation = deactivationAt === null ? 'Not known yet' : `About ${momentInWords(deactivationAt)}`;
  return {
    headline: facts.isUnfetched
      ? `The callouts of ${names.webhook} are not being fetched`
      : `The webhook ${names.webhook} is failing`,
    cause: causeOf(facts.lastFailure),
    opening: [
      facts.isUnfetched
        ? `Callouts have been waiting since ${momentInWords(failingSince)}, and no program has fetched any of them.`
        : `No callout has been delivered since ${momentInWords(failingSince)}.`,
      keptSentence(waiting === undefined ? undefined : sumOfWaiting(waiting), failed),
    ],
    facts: [
      ...momentFact(facts.isUnfetched ? 'Waiting since' : 'Failing since', failingSince),
      ...failureFact(facts.lastFailure),
      ...momentFact('Next attempt', next),
      receiverFact(webhook),
      ...waitingFact(waiting),
      { label: 'Failed', value: calloutsInWords(failed) },
      ...(deactivateAfter > 0 && !facts.isUnfetched ? [{ label: 'Deactivation', value: deactivation }] : []),
    ],
    next: [
      nextAttempts(facts, webhook, next),
      facts.isUnfetched ? untilFirstFails(facts) : untilDeactivation(facts),
      'You get one more mail when a callout is delivered again.',
    ],
    advice: [
      ...(facts.isUnfetched ? [checkProgram] : []),
      {
        say: 'See what waits and why:',
        commands: [
          `callout webhooks show ${names.named}`,
          `callout deliveries list --webhook ${names.named} --state due`,
        ],
        requests: [`GET ${names.path}/readiness`, `GET ${names.path}/Callouts?state=due`],
      },
      ...(facts.isUnfetched
        ? []
        : [repairReceiver(webhook), testReceiver(names, isPulled(webhook) ? undefined : releasingTest)]),
      ...redeliverFailed(failed, facts.failedSince, names),
    ],
  };
}

const releasingTest = 'Send a test. When it is delivered, everything that waits is sent:';

const checkProgram = {
  say: 'Check that the program that fetches the callouts is running, and that its requests are not refused: its credential may have been revoked.',
};

/** The state of the callouts so far. That none is lost is stated only while none failed. */
function keptSentence(open: number | undefined, failed: number): string {
  const waiting = open === undefined ? 'Callouts wait' : `${calloutsInWords(open)} ${open === 1 ? 'waits' : 'wait'}`;
  if (failed === 0) return `${waiting}. None failed, and none is lost.`;
  return `${waiting}, and ${calloutsInWords(failed)} failed after the last attempt. They are kept, but are not sent again automatically: the command that redelivers them is below.`;
}

function nextAttempts({ isPaused, isUnfetched }: Failing, webhook: NotificationWebhook, next: Date | null): string {
  if (isUnfetched) return 'The callouts wait until a program fetches them. The order per record is kept.';
  if (isPulled(webhook)) {
    return 'Callouts that were not acknowledged can be fetched again on their schedule. Once one is acknowledged, everything that waits can be fetched at once.';
  }
  const then = 'Once one is answered with a status from 200 to 299, everything that waits is sent.';
  const when = next === null ? '' : ` The next attempt is made at about ${momentInWords(next)}.`;
  if (isPaused) {
    return `The receiver seems to be down, so the webhook is paused: about once a minute, one call finds out whether it is back.${when} ${then}`;
  }
  return `Callouts that failed are tried again on their schedule, and every one to ten minutes one call finds out whether the receiver is back.${when} ${then}`;
}

function untilFirstFails({ firstFailsAt }: Failing): string {
  return firstFailsAt === null
    ? 'The webhook stays active.'
    : `The webhook stays active. If the oldest callout is not fetched by ${momentInWords(firstFailsAt)}, it fails, and later ones after it.`;
}

function untilDeactivation({ deactivateAfter, failedInRow, deactivationAt, firstFailsAt }: Failing): string {
  if (deactivateAfter === 0) return 'The webhook is not deactivated, however many callouts fail.';
  const rule = `The webhook is deactivated when ${counted(deactivateAfter, 'callout')} in a row have used up their attempts`;
  if (deactivationAt !== null) {
    return `${rule}. If nothing is delivered, that will be at about ${momentInWords(deactivationAt)}.`;
  }
  const left = counted(Math.max(1, deactivateAfter - failedInRow), 'more callout');
  const first =
    firstFailsAt === null ? '' : ` The first of them uses up its attempts at about ${momentInWords(firstFailsAt)}.`;
  return `${rule}. That takes ${left}, and it is not known yet when they will have been tried.${first}`;
}

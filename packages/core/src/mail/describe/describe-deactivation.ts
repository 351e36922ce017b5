import type { Step } from '../text/draft.ts';
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

type Facts = FactsOf<'deactivated'>;

interface Cause {
  /** The reason as a sentence. */
  readonly why: (facts: Facts) => string;
  /** Whether the receiver's answers were the reason. */
  readonly isFailure: boolean;
  readonly advice: (names: NotificationNames) => Step[];
}

const activate = ({ path }: NotificationNames, say: string): Step => ({
  say,
  requests: [`PATCH ${path} {"isActive":true}`],
});

/** Only an active webhook can be given its callouts again. */
const redeliver = ({ path }: NotificationNames, states: string): Step => ({
  say: 'Then have what it missed until now sent again:',
  requests: [`POST ${path}/redeliver {"states":[${states}]}`],
});

const causes: Record<Facts['cause'], Cause> = {
  repeatedFailure: {
    why: ({ failedInRow }) =>
      `${counted(failedInRow, 'callout')} in a row used up their attempts without getting through, so the webhook was deactivated.`,
    isFailure: true,
    advice: (names) => [
      repairReceiver,
      activate(names, 'Activate the webhook; its count of failures begins at zero:'),
      testReceiver(names),
      redeliver(names, '"failed","cancelled"'),
    ],
  },
  gone: {
    why: () =>
      'Its receiver answered with status 410 (Gone), which says that it wants no more calls. So the webhook was deactivated at once.',
    isFailure: true,
    advice: (names) => [
      { say: 'If the receiver is gone for good, delete the webhook:', requests: [`DELETE ${names.path}`] },
      activate(names, 'If it is not, correct what it answers, or the webhookUrl, and activate the webhook:'),
      testReceiver(names),
      redeliver(names, '"failed","cancelled"'),
    ],
  },
  ownerDeactivated: {
    why: () => 'The resource that owns the webhook was deactivated, and the webhook with it.',
    isFailure: false,
    advice: (names) => [
      { say: 'If the webhook is still needed, have the resource that owns it activated.' },
      activate(names, 'Activate the webhook:'),
      redeliver(names, '"cancelled"'),
    ],
  },
  ownerDeleted: {
    why: () => 'The resource that owned the webhook was deleted, so the webhook was deactivated.',
    isFailure: false,
    advice: ({ root, collection }) => [
      {
        say: 'A webhook cannot change its owner. If it is still needed, have another API user create it again:',
        requests: [`POST ${root}/${collection}`],
      },
    ],
  },
};

/** A webhook was deactivated automatically. */
export function describeDeactivation(
  facts: Facts,
  webhook: NotificationWebhook,
  names: NotificationNames,
): Description {
  const { why, isFailure, advice } = causes[facts.cause];
  const cancelled = facts.cancelledCallouts === 0 ? 'None' : counted(facts.cancelledCallouts, 'callout');
  const failures = [
    ...momentFact('Failing since', facts.failingSince),
    ...failureFact(facts.lastFailure),
    ...(facts.failedInRow > 1 ? [{ label: 'Failed in a row', value: numberInWords(facts.failedInRow) }] : []),
  ];
  return {
    headline: `The webhook ${names.webhook} was deactivated.`,
    opening: [why(facts)],
    facts: [
      ...momentFact('Deactivated', facts.at),
      ...(isFailure ? failures : []),
      { label: 'Receiver', value: urlInWords(webhook.webhookUrl) },
      { label: 'Not sent any more', value: cancelled },
    ],
    next: [
      'Nothing is sent to this receiver any more. What changes while the webhook is inactive is not sent later either.',
      `The deactivation address of the webhook is told by a signed call: ${urlInWords(webhook.deactivationUrl)}`,
    ],
    advice: advice(names),
  };
}

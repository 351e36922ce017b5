import type { Step, FactsOf, NotificationWebhook, NotificationNames, Description } from '../text/draft.rules.ts';
import {
  causeOf,
  counted,
  failureFact,
  isPulled,
  momentFact,
  numberInWords,
  receiverFact,
  repairReceiver,
  testReceiver,
  urlInWords,
} from '../text/words.rules.ts';

type Facts = FactsOf<'deactivated'>;

interface Cause {
  /** The end of a sentence after `because`. */
  readonly cause: (facts: Facts) => string;
  /** The reason as a sentence. */
  readonly why: (facts: Facts) => string;
  /** Whether the receiver's responses were the reason. */
  readonly isFailure: boolean;
  readonly advice: (names: NotificationNames, webhook: NotificationWebhook) => Step[];
}

const activate = ({ path, named }: NotificationNames, say: string): Step => ({
  say,
  commands: [`callout webhooks activate ${named}`],
  requests: [`PATCH ${path} {"isActive":true}`],
});

const seeFailures = ({ path, named }: NotificationNames): Step => ({
  say: 'See which callouts failed, and why:',
  commands: [`callout failed --webhook ${named}`],
  requests: [`GET ${path}/Callouts?state=failed`],
});

/** Only callouts of an active webhook can be redelivered. */
const redeliver = ({ path, named }: NotificationNames, ...states: string[]): Step => ({
  say: 'Then redeliver what it has missed until now:',
  commands: [`callout redeliver --webhook ${named} --state ${states.join(',')}`],
  requests: [`POST ${path}/redeliver ${JSON.stringify({ states })}`],
});

const causes: Record<Facts['cause'], Cause> = {
  repeatedFailure: {
    cause: ({ failedInRow, lastFailure }) => {
      const last = causeOf(lastFailure);
      return `${counted(failedInRow, 'callout')} in a row failed${last === undefined ? '' : `; at last ${last}`}`;
    },
    why: ({ failedInRow }) =>
      `${counted(failedInRow, 'callout')} in a row used up their attempts, so the webhook was deactivated.`,
    isFailure: true,
    advice: (names, webhook) => [
      seeFailures(names),
      repairReceiver(webhook),
      activate(names, 'Activate the webhook; its count of failures begins at zero:'),
      testReceiver(names),
      redeliver(names, 'failed', 'cancelled'),
    ],
  },
  gone: {
    cause: () => 'its receiver answered 410 (Gone)',
    why: () =>
      'Its receiver answered with status 410 (Gone), which means that it wants no more calls, so the webhook was deactivated at once.',
    isFailure: true,
    advice: (names) => [
      {
        say: 'If the receiver is gone for good, delete the webhook:',
        commands: [`callout webhooks delete ${names.named}`],
        requests: [`DELETE ${names.path}`],
      },
      activate(names, 'If it is not, correct its answer or the webhookUrl, and activate the webhook:'),
      testReceiver(names),
      redeliver(names, 'failed', 'cancelled'),
    ],
  },
  ownerDeactivated: {
    cause: () => 'its owner was deactivated',
    why: () => 'The resource that owns the webhook was deactivated, and the webhook with it.',
    isFailure: false,
    advice: (names) => [
      { say: 'If the webhook is still needed, have the resource that owns it activated.' },
      activate(names, 'Activate the webhook:'),
      redeliver(names, 'cancelled'),
    ],
  },
  ownerDeleted: {
    cause: () => 'its owner was deleted',
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
  const { cause, why, isFailure, advice } = causes[facts.cause];
  const failures = [
    ...momentFact('Failing since', facts.failingSince),
    ...failureFact(facts.lastFailure),
    ...(facts.failedInRow > 1 ? [{ label: 'Failed in a row', value: numberInWords(facts.failedInRow) }] : []),
  ];
  return {
    headline: `The webhook ${names.webhook} was deactivated`,
    cause: cause(facts),
    opening: [why(facts)],
    facts: [
      ...momentFact('Deactivated', facts.at),
      ...(isFailure ? failures : []),
      receiverFact(webhook),
      { label: 'Open until then', value: counted(facts.openCallouts, 'callout') },
    ],
    next: [
      ...(facts.openCallouts === 0
        ? []
        : ['The callouts that were open are cancelled, unless a call under way delivers them.']),
      `${isPulled(webhook) ? 'No more callouts of this webhook can be fetched' : 'Nothing more is sent to this receiver'}. Changes that are made while the webhook is inactive make callouts only on request, once it is active again: callout redeliver --webhook ${names.named} --since ${facts.at.toISOString()} --inactive`,
      webhook.deactivationMode === 'pull'
        ? 'The deactivation call waits to be fetched.'
        : `A signed call to the deactivationUrl says so: ${urlInWords(webhook.deactivationUrl)}`,
    ],
    advice: advice(names, webhook),
  };
}

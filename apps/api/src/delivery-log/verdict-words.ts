import type { Action, VerdictRule } from '@callout/core';

/** What a verdict is about, as far as sentences go. */
interface JudgedEvent {
  readonly action: Action;
  readonly personId: number;
}

const sentences: Readonly<Record<VerdictRule, (event: JudgedEvent) => string>> = {
  inactive: () => 'The webhook is inactive.',
  acceptedBeforeActivation: () => 'The event was accepted before the webhook was created or last activated.',
  actionNotSubscribed: ({ action }) => `The webhook is not subscribed to ${action.toLowerCase()} events.`,
  notReady: () => 'The webhook is not ready: it has neither a Field nor a UdfField record.',
  noSubscribedFieldChanged: () => 'None of the fields that changed is one the webhook is subscribed to.',
  actorExcluded: ({ personId }) => `Resource ${personId}, which acted, is excluded by the webhook.`,
  owed: () => 'The event owes the webhook a callout.',
};

/** The rule that decided, in words. */
export function verdictSentence(rule: VerdictRule, event: JudgedEvent): string {
  return sentences[rule](event);
}

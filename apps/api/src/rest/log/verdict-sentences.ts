import type { Action } from '@callout/domain/event';
import type { RuleValue, VerdictRule } from '@callout/pipeline/match/match.rules';

/** What the sentences name of the event of a verdict. */
export interface JudgedEvent {
  readonly action: Action;
  readonly personId: number;
  /** The mail address of the acting resource; null or absent: unknown. */
  readonly personEmail?: string | null;
}

/** Callout itself is 0. */
function actorOf({ personId, personEmail }: JudgedEvent): string {
  if (personId === 0) return 'Callout itself';
  return `Resource ${personId}${personEmail ? ` (${personEmail})` : ''}`;
}

const sentences: Readonly<Record<VerdictRule, (event: JudgedEvent) => string>> = {
  inactive: () => 'The webhook is inactive.',
  acceptedBeforeActivation: () => 'The event was accepted before the webhook was created or last activated.',
  actionNotSubscribed: ({ action }) => `The webhook is not subscribed to ${action.toLowerCase()} events.`,
  notReady: () => 'The webhook is not ready: it has neither a Field nor a UdfField record.',
  noSubscribedFieldChanged: () => 'None of the fields that changed is one the webhook is subscribed to.',
  actorExcluded: (event) => `${actorOf(event)}, which acted, is excluded by the webhook.`,
  condition: () => 'The event does not fulfil the condition of the webhook.',
  passed: () => 'The webhook gets a callout: every rule passed.',
};

/** The rules where a callout is made in spite of them. */
const passing: Readonly<Record<Exclude<VerdictRule, 'passed'>, (event: JudgedEvent) => string>> = {
  inactive: () => 'The webhook is active.',
  acceptedBeforeActivation: () => 'The event was accepted after the webhook was created and last activated.',
  actionNotSubscribed: ({ action }) => `The webhook is subscribed to ${action.toLowerCase()} events.`,
  notReady: ({ action }) =>
    action === 'Delete'
      ? 'A delete event needs no Field or UdfField record.'
      : 'The webhook has a Field or UdfField record.',
  noSubscribedFieldChanged: ({ action }) =>
    action === 'Update'
      ? 'A field that changed is one the webhook is subscribed to.'
      : `A ${action.toLowerCase()} event needs no changed field.`,
  actorExcluded: (event) => `${actorOf(event)}, which acted, is not excluded by the webhook.`,
  condition: () => 'The event fulfils the condition of the webhook, or the webhook has none.',
};

/** The value of a rule, as a sentence. */
export function ruleSentence({ rule, passed }: RuleValue, event: JudgedEvent): string {
  return (passed ? passing : sentences)[rule](event);
}

/** The deciding rule, as a sentence. */
export function verdictSentence(rule: VerdictRule, event: JudgedEvent): string {
  return sentences[rule](event);
}

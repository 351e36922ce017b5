import { Problem } from '@callout/domain/problem';
import type { ActivationRules } from '@callout/webhooks/activation';

/** The rules of activating a webhook of a collection; what they refuse is a `conflict` that says what to do about it. */
export function activationRules(webhookCollection: string, maxActivePerEntity: number): ActivationRules {
  const ownSentences = {
    stillCancelling:
      'isActive must stay false for a moment: the callouts that were open when the webhook was deactivated are still being cancelled; try again in a few seconds',
    ownerInactive:
      'isActive must be false: the resource that owns this webhook is not active; activate it first, by PATCH /Resources',
  };
  const tooMany = (active: number): string =>
    `${webhookCollection} may have ${maxActivePerEntity} active webhooks and has ${active}: deactivate one first, or ask the operator for more (MAX_ACTIVE_WEBHOOKS_PER_ENTITY)`;
  return {
    webhookCollection,
    maxActivePerEntity,
    refused: (refusal) =>
      Problem.conflict(
        refusal.kind === 'tooManyActive' ? tooMany(refusal.active) : ownSentences[refusal.kind],
        'isActive',
      ),
  };
}

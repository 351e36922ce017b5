import { Problem } from '@callout/domain/problem';
import type { ActivationRules } from '@callout/webhooks/activation';

/** The rules of creating and activating a webhook of a collection; a refusal is a `conflict` that says what to do about it. */
export function activationRules(webhookCollection: string, maxActivePerEntity: number): ActivationRules {
  const ownSentences = {
    stillCancelling:
      'isActive must stay false for a moment: the callouts that were open when the webhook was deactivated are still being cancelled; try again in a few seconds',
    ownerInactive:
      'isActive must be false: the resource that owns this webhook is not active; activate it first, by PATCH /Resources',
  };
  const tooMany = ({ existing, most }: { readonly existing: number; readonly most: number }): string =>
    `${webhookCollection} may have ${most} webhooks, active or not, and has ${existing}: delete one first, or ask the operator for more (a quarter of that number is MAX_ACTIVE_WEBHOOKS_PER_ENTITY)`;
  const tooManyActive = (active: number): string =>
    `${webhookCollection} may have ${maxActivePerEntity} active webhooks and has ${active}: deactivate one first, or ask the operator for more (MAX_ACTIVE_WEBHOOKS_PER_ENTITY)`;
  return {
    webhookCollection,
    maxActivePerEntity,
    refused: (refusal) => {
      if (refusal.kind === 'tooMany') return Problem.conflict(tooMany(refusal));
      const isTooMany = refusal.kind === 'tooManyActive';
      return Problem.conflict(isTooMany ? tooManyActive(refusal.active) : ownSentences[refusal.kind], 'isActive');
    },
  };
}

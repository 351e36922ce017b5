import type { Actor } from '@callout/domain/changes/actor';
import type { NewOccurrence } from '@callout/pipeline/health/occurrence.rules';

/**
 * What webhooks on their health get when something that signs for a webhook is replaced.
 * @param previousUntil until when the one before signs as well; null: it does not.
 */
export function rotationOf(
  webhookKey: number,
  subject: 'secret' | 'signingKey',
  previousUntil: Date | null,
  { resourceId }: Actor,
): NewOccurrence {
  const facts = { previousSecretUntil: previousUntil };
  return { webhookKey, occurrence: 'secretRotated', subject, facts, actorResourceId: resourceId };
}

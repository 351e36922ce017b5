import type { Transaction } from '@callout/database/connection/database';
import { recordChanges } from '@callout/pipeline/deactivate/webhook-history';
import { storeOccurrences } from '@callout/pipeline/health/occurrences';

/** What signs for a webhook and was replaced. */
export interface Rotation {
  readonly tenantId: number;
  readonly replaced: 'secret' | 'signingKey';
  /** Until when the one before signs as well; null: it does not. */
  readonly previousUntil: Date | null;
  /** The resource that did it; null is an operator. */
  readonly actorResourceId: number | null;
}

const changes = { secret: 'secretRotated', signingKey: 'signingKeyRotated' } as const;

/**
 * Records a rotation in the history of the webhooks that are signed with it, and for webhooks on their health. The
 * transaction is the one that replaces it, and holds the locks of the webhooks.
 */
export async function recordRotation(
  transaction: Transaction,
  webhookKeys: readonly number[],
  { tenantId, replaced, previousUntil, actorResourceId }: Rotation,
): Promise<void> {
  const change = changes[replaced];
  await recordChanges(
    transaction,
    webhookKeys.map((webhookKey) => ({ tenantId, webhookKey, change, cause: 'user', actorResourceId })),
  );
  await storeOccurrences(
    transaction,
    webhookKeys.map((webhookKey) => ({
      webhookKey,
      occurrence: 'secretRotated',
      subject: replaced,
      facts: { previousSecretUntil: previousUntil },
      actorResourceId,
    })),
  );
}

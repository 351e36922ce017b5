import { Problem } from '@callout/domain/problem/problem';
import type { Transaction } from '@callout/database/connection/database';
import { lockWebhook, type LockedWebhook, type WebhookAddress } from '@callout/database/tables/locked-webhook';

/** Locks a webhook, as lockWebhook does; throws a Problem `conflict` when the webhook is inactive, since nothing is sent to it. */
export async function lockActiveWebhook(transaction: Transaction, address: WebhookAddress): Promise<LockedWebhook> {
  const webhook = await lockWebhook(transaction, address);
  if (!webhook.isActive) throw Problem.conflict('The webhook is not active: PATCH it with "isActive": true first');
  return webhook;
}

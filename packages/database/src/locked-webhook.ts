import { Problem } from '@callout/domain/problem';
import type { Transaction } from './connection/database.ts';
import { statementFrom } from './connection/statement/statement.ts';
import { tenantIsMoving } from './connection/transaction/served-tenant.ts';

/** The address of a webhook: its public id is sequential per tenant and entity. */
export interface WebhookAddress {
  tenantId: number;
  entityType: string;
  id: number;
}

/**
 * A webhook whose row the transaction has locked: nothing adds, reopens or cancels callouts of the webhook meanwhile.
 */
export interface LockedWebhook {
  key: number;
  guid: string;
  isActive: boolean;
  /** When the transaction began, by the database's clock. */
  now: Date;
}

// A move waits for transactions that did not see the move: a transaction can be seen as writing from its first lock on.
const lock = statementFrom<LockedWebhook & { isServed: boolean }>('database:webhook_lock');

/**
 * Locks the row of a webhook, as match does before storing callouts: match is either before the transaction, which then
 * sees the callouts, or after, and then finds another version. Callouts of the webhook can still be claimed, settled
 * and released meanwhile: a transaction that changes open callouts locks them as well.
 * @throws a Problem: `notFound` without the webhook, `unavailable` while the tenant is being moved.
 */
export async function lockWebhook(
  transaction: Transaction,
  { tenantId, entityType, id }: WebhookAddress,
): Promise<LockedWebhook> {
  const [webhook] = await lock(transaction, [tenantId, entityType, id]);
  if (webhook === undefined) throw Problem.notFound();
  if (!webhook.isServed) throw tenantIsMoving();
  return webhook;
}

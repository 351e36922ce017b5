import type { Database, Transaction, Client } from '@callout/database/connection/database';
import { Problem } from '@callout/domain/problem';
import { lockWebhook, type LockedWebhook, type WebhookAddress } from '@callout/database/locked-webhook';
import type { OpenRecord } from './reopen.rules.ts';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { CalloutKind } from '@callout/domain/callout/callout-states';
import { idOf, lowestId } from '@callout/database/schema/ids';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';

/** Dependencies of all repairs. */
export interface RepairDeps {
  readonly database: Pick<Database, 'pool'>;
  /** Enqueues webhooks whose callouts became due, after each commit. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
}

/** Locks a webhook, as lockWebhook does; throws a Problem `conflict` when the webhook is inactive, since nothing is sent to it. */
export async function lockActiveWebhook(transaction: Transaction, address: WebhookAddress): Promise<LockedWebhook> {
  const webhook = await lockWebhook(transaction, address);
  if (!webhook.isActive) throw Problem.conflict('The webhook is not active: PATCH it with "isActive": true first');
  return webhook;
}

const lock = statementFrom<OpenRecord>('repair/repair_lock_open_records');

/**
 * Locks all open callouts of records of a webhook: none of them is claimed, settled or released until this transaction
 * ends. The transaction must hold the webhook's row.
 */
export async function lockOpenRecords(
  transaction: Transaction,
  webhookKey: number,
  recordIds: readonly number[],
): Promise<OpenRecord[]> {
  return lock(transaction, [webhookKey, [...new Set(recordIds)]]);
}

/** A callout of a webhook. */
export interface CalloutAddress {
  readonly webhook: WebhookAddress;
  /** As given by the caller. */
  readonly calloutId: string;
}

interface FoundCallout {
  id: string;
  kind: CalloutKind;
  webhookKey: number;
  recordId: number;
  sequenceNumber: number;
}

const find = statementFrom<FoundCallout>('repair/repair_find_callout');

/** Throws a Problem `notFound` when the webhook, or its callout, does not exist. */
export async function findCallout(client: Client, { webhook, calloutId }: CalloutAddress): Promise<FoundCallout> {
  const id = idOf(calloutId);
  const { tenantId, entityType, id: webhookId } = webhook;
  const [callout] = id === undefined ? [] : await find(client, [tenantId, entityType, webhookId, id]);
  if (callout === undefined) throw Problem.notFound();
  return callout;
}

const lowest = '00000000-0000-0000-0000-000000000000';
const highest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Ids of the callouts made in the range's time: from the first one on, and below the second. */
export function idBounds({ since, until }: Pick<CalloutRange, 'since' | 'until'>): [string, string] {
  return [since === null ? lowest : lowestId(since), until === null ? highest : lowestId(until)];
}

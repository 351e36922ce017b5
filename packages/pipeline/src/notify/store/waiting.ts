import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { mostCounted, type WaitingCallouts } from '../write/notification.rules.ts';

interface WaitingOfWebhook extends WaitingCallouts {
  readonly webhookKey: number;
}

const count = statementFrom<WaitingOfWebhook>('notify/mail_count_waiting');

/** The open callouts of webhooks, by their keys. @param webhookKeys each once. */
export async function countWaiting(
  client: Client,
  webhookKeys: readonly number[],
): Promise<ReadonlyMap<number, WaitingCallouts>> {
  if (webhookKeys.length === 0) return new Map();
  return new Map(
    (await count(client, [webhookKeys, mostCounted])).map(({ webhookKey, ...waiting }) => [webhookKey, waiting]),
  );
}

import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { mostCounted, type WaitingCallouts } from '../write/notification.rules.ts';

interface WaitingOfWebhook extends WaitingCallouts {
  readonly webhookKey: number;
}

// Counted when a mail is written: it may have been gathering for minutes, or have waited for its mail server for days.
const count = statement<WaitingOfWebhook>(
  'mail_count_waiting',
  `SELECT w.key AS "webhookKey", o.* FROM unnest($1::bigint[]) AS w (key), LATERAL (
     SELECT count(*) FILTER (WHERE state = 'due') AS due, count(*) FILTER (WHERE state = 'waiting') AS behind,
       count(*) FILTER (WHERE state = 'held') AS held
     FROM (SELECT state FROM open_callouts WHERE webhook_key = w.key AND kind = 'event' LIMIT ${mostCounted}) AS first
   ) AS o`,
);

/** The open callouts of webhooks, by their keys. @param webhookKeys each once. */
export async function countWaiting(
  client: Client,
  webhookKeys: readonly number[],
): Promise<ReadonlyMap<number, WaitingCallouts>> {
  if (webhookKeys.length === 0) return new Map();
  return new Map((await count(client, [webhookKeys])).map(({ webhookKey, ...waiting }) => [webhookKey, waiting]));
}

import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { timeOfId } from '@callout/database/schema/ids';

const findEvent = statementFrom<{ id: string }>('notify/overdue_event');

/** When the oldest pending event was accepted; null without pending events. */
export async function oldestPendingEvent(client: Client): Promise<Date | null> {
  const [oldest] = await findEvent(client, []);
  return oldest === undefined ? null : timeOfId(oldest.id);
}

/** The largest number that is counted. */
export const mostWaiting = 100_000;

const countEvents = statementFrom<{ count: number }>('notify/overdue_count_events');

const countDue = statementFrom<{ count: number }>('notify/overdue_count_due');

/** The events that are not matched yet, up to `mostWaiting`. */
export async function countPendingEvents(client: Client): Promise<number> {
  return (await countEvents(client, [mostWaiting]))[0]?.count ?? 0;
}

/** The callouts that are due and are not being sent, up to `mostWaiting`. */
export async function countDueCallouts(client: Client): Promise<number> {
  return (await countDue(client, [mostWaiting]))[0]?.count ?? 0;
}

/** A webhook with a callout that could be sent now. */
export interface OverdueWebhook {
  dueAt: Date;
  tenantName: string;
  entityType: string;
  webhookId: number;
}

/** Claims start with the longest due, so the leases of a webhook are among the first callouts. */
const lookedAt = 100;

const findCallout = statementFrom<OverdueWebhook>('notify/overdue_callout');

/** The webhook whose callout has been waiting longest for a worker, at least `ms`; undefined without such a webhook. */
export async function findOverdueCallout(client: Client, ms: number): Promise<OverdueWebhook | undefined> {
  return (await findCallout(client, [ms, lookedAt]))[0];
}

const findRefused = statementFrom<{ since: Date; lastError: string | null; count: number }>('notify/overdue_mail');

/** Mail that the mail server has not accepted for `ms` while no further mail was accepted; undefined without such mail. */
export async function findRefusedMail(
  client: Client,
  ms: number,
): Promise<{ since: Date; lastError: string | null; count: number } | undefined> {
  return (await findRefused(client, [ms]))[0];
}

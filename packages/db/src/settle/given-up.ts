import type { ReceiverHealth } from '@callout/core';
import type { Transaction } from '../connection/database.ts';
import { deactivateWebhooks } from '../deactivate/deactivation.ts';
import { storeNotices } from '../mail/notifications.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import type { HealthAfter } from './health.ts';
import type { AttemptRow } from './attempt-rows.ts';
import { isGivenUp, type Settlement } from './settlement.ts';

/** A webhook under its row's lock. */
export interface LockedWebhook {
  webhookKey: number;
  isActive: boolean;
}

const lock = statementFrom<LockedWebhook>('settle/given_up_lock_webhooks');

/**
 * Locks the webhooks of callouts that may be given up: their mails are one a day, and they may be deactivated. Comes
 * before any other lock.
 */
export async function lockWebhooksOf(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<Map<number, LockedWebhook>> {
  const keys = [...new Set(settlements.map(({ callout }) => callout.webhookKey))];
  return new Map((await lock(transaction, [keys])).map((row) => [row.webhookKey, row]));
}

/** Of the webhooks, those that these results deactivate, and why. */
export function webhooksToShut(
  webhooks: ReadonlyMap<number, LockedWebhook>,
  settlements: readonly Settlement[],
  after: HealthAfter,
  deactivateAfter: number,
): { gone: number[]; failing: number[] } {
  const active = [...webhooks.values()].filter(({ isActive }) => isActive).map(({ webhookKey }) => webhookKey);
  const saidGone = new Set(
    settlements
      .filter(
        ({ callout, next }) => callout.kind === 'event' && next.kind === 'ended' && 'isGone' in next && next.isGone,
      )
      .map(({ callout }) => callout.webhookKey),
  );
  const gone = active.filter((key) => saidGone.has(key));
  const isFailing = (key: number): boolean =>
    deactivateAfter > 0 && (after.get(key)?.failedInRow ?? 0) >= deactivateAfter;
  return { gone, failing: active.filter((key) => !saidGone.has(key) && isFailing(key)) };
}

const longestText = 8000;

const readBodies = statementFrom<{ id: string; body: string }>('settle/given_up_read_bodies');

const insertLogs = statementFrom('settle/given_up_insert_logs');

export interface GivenUpRules {
  /** Callouts in a row that used up their attempts, after which their webhook is deactivated; 0: never. */
  deactivateAfter: number;
}

/**
 * What follows when callouts are given up: a row in the error log each, a mail, and the end of their webhook where it is
 * time for that.
 * @returns webhooks with a deactivation call to make.
 */
export async function giveUp(
  transaction: Transaction,
  settlements: readonly Settlement[],
  after: HealthAfter,
  { gone, failing }: { gone: number[]; failing: number[] },
  { deactivateAfter }: GivenUpRules,
): Promise<number[]> {
  const givenUp = settlements.filter(isGivenUp);
  const ids = givenUp.map(({ callout }) => callout.id);
  const bodies = new Map((await readBodies(transaction, [ids])).map(({ id, body }) => [id, body]));
  const logs = givenUp.map(({ callout, attempt, problem }) => ({
    webhookKey: callout.webhookKey,
    sequenceNumber: callout.sequenceNumber,
    errorMessage: cut(`Attempt ${attempt.number} failed: ${problem ?? ''}${answerOf(attempt)}`),
    payload: cut(bodies.get(callout.id) ?? ''),
  }));
  await insertLogs(transaction, columns(logs, ['webhookKey', 'sequenceNumber', 'errorMessage', 'payload']));
  await storeNotices(
    transaction,
    givenUp.flatMap((settlement) => {
      const { callout, next } = settlement;
      const usedUp = next.kind === 'ended' && next.state === 'failed' && !next.isGone;
      if (callout.kind !== 'event' || !usedUp) return [];
      const health = after.get(callout.webhookKey) ?? null;
      return [errorNotice(settlement, health, bodies.get(callout.id), deactivateAfter)];
    }),
  );
  const automatic = { actorResourceId: null };
  const ofGone = await deactivateWebhooks(transaction, { webhookKeys: gone, cause: 'gone', ...automatic });
  const ofFailing = await deactivateWebhooks(transaction, {
    webhookKeys: failing,
    cause: 'repeatedFailure',
    ...automatic,
  });
  return [...ofGone.wokenWebhookKeys, ...ofFailing.wokenWebhookKeys];
}

function errorNotice(
  { callout, attempt, problem }: Settlement,
  health: ReceiverHealth | null,
  body: string | undefined,
  deactivateAfter: number,
) {
  return {
    tenantId: callout.tenantId,
    webhookKey: callout.webhookKey,
    kind: 'error' as const,
    // Not the callout: redelivered, it may be given up on another day again.
    occasion: attempt.id,
    content: {
      calloutId: callout.id,
      sequenceNumber: callout.sequenceNumber,
      recordId: callout.recordId,
      attempts: attempt.number,
      lastFailure: problem,
      failingSince: health?.failingSince ?? null,
      failedInRow: health?.failedInRow ?? 0,
      deactivateAfter,
      eventTime: eventTimeOf(body),
    },
  };
}

function eventTimeOf(body: string | undefined): string | null {
  const { EventTime } = JSON.parse(body ?? '{}') as { EventTime?: string };
  return EventTime ?? null;
}

const shownAnswer = 1000;

/**
 * The beginning of the answer, since that is where receivers say what they did not like; its status is in the sentence
 * before it. Any bytes: what is no text becomes U+FFFD, and control characters, line ends too, become blanks.
 */
function answerOf({ responseBody }: Pick<AttemptRow, 'responseBody'>): string {
  // A character has three bytes for each of its UTF-16 units at most.
  const text = responseBody?.subarray(0, 3 * shownAnswer).toString('utf8') ?? '';
  const shown = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  if (shown === '') return '';
  const notText = shown.split('\uFFFD').length - 1;
  if (notText * 10 > shown.length) return ' The answer is not text.';
  return ` The answer begins: ${shown.slice(0, shownAnswer)}`;
}

/** At most 8000 UTF-16 units, and no half of a pair at the end. */
function cut(text: string): string {
  return text.slice(0, longestText).replace(/[\uD800-\uDBFF]$/u, '');
}

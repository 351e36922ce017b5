import type { Client, Transaction } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import type { Pool } from 'pg';
import { isDelivered, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { OutboundRequest } from '@callout/outbound/send';
import type { Logger } from '@callout/runtime/log/logger';
import { judgeMail } from './write/mail-retry.rules.ts';
import { readAlert } from './write/notification.rules.ts';
import { operatorMessage, type OperatorMessageStyle } from './operator-message.rules.ts';

/** A message about an alert of the installation that is to be sent now, by the holder of its lease. */
interface DueOperatorMessage {
  readonly id: string;
  readonly content: unknown;
  /** Attempts made so far. */
  readonly attempts: number;
  /** Milliseconds since it was stored. */
  readonly ageMs: number;
  readonly leaseOwner: string;
}

const store = statementFrom('notify/operator_messages_store');

/** Stores a message for OPERATOR_ALERT_URL, in the transaction in which the alert begins or ends. */
export async function storeOperatorMessage(transaction: Transaction, alert: string, content: string): Promise<void> {
  await store(transaction, [newId(), alert, content]);
}

const claim = statementFrom<DueOperatorMessage>('notify/operator_messages_claim');

/** Claims due messages. @param leaseMs longer than it takes to send them. */
function claimOperatorMessages(client: Client, leaseMs: number): Promise<DueOperatorMessage[]> {
  return claim(client, [newId(), leaseMs]);
}

const end = statementFrom('notify/operator_messages_end');

const postpone = statementFrom('notify/operator_messages_postpone');

/** Ends a message that was sent or failed (`waitMs` null), or puts its next attempt off. */
async function settleOperatorMessage(
  client: Client,
  { id, leaseOwner }: DueOperatorMessage,
  waitMs: number | null,
): Promise<void> {
  if (waitMs === null) await end(client, [id, leaseOwner]);
  else await postpone(client, [id, leaseOwner, waitMs]);
}

export interface OperatorMessagesDeps {
  readonly pool: Pool;
  readonly url: string;
  readonly userAgent: string;
  readonly style: OperatorMessageStyle;
  readonly send: (request: OutboundRequest) => Promise<AttemptOutcome>;
  /** How long a claimed message is left to this worker. */
  readonly leaseMs: number;
  readonly random: () => number;
  readonly log: Logger;
}

/** Sends the due messages about alerts of the installation. What fails is tried again like mail, for 7 days. */
export async function sendOperatorMessages(deps: OperatorMessagesDeps): Promise<void> {
  for (const message of await claimOperatorMessages(deps.pool, deps.leaseMs)) await sendOne(deps, message);
}

async function sendOne(
  { pool, url, userAgent, style, send, random, log }: OperatorMessagesDeps,
  message: DueOperatorMessage,
): Promise<void> {
  const body = Buffer.from(operatorMessage(readAlert(message.content), style), 'utf8');
  const outcome = await send({ url, headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent }, body });
  // Neither the URL nor the answer is logged: both may have secrets.
  const reason = outcome.kind === 'failed' ? outcome.reason : `status ${outcome.status}`;
  const sent = isDelivered(outcome) ? ({ kind: 'sent' } as const) : ({ kind: 'notSent', reason } as const);
  const verdict = judgeMail(sent, { attemptNumber: message.attempts + 1, ageMs: message.ageMs }, random);
  if (verdict.state !== 'sent')
    log.warn({ reason, state: verdict.state }, 'OPERATOR_ALERT_URL did not take an alert of the installation');
  await settleOperatorMessage(pool, message, verdict.state === 'waiting' ? verdict.waitMs : null);
}

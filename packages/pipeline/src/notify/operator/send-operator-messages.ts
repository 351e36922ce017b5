import type { Pool } from 'pg';
import { isDelivered, type AttemptOutcome } from '@callout/domain/outcome/outcome';
import type { OutboundRequest } from '@callout/outbound/send';
import type { Logger } from '@callout/runtime/log/logger';
import { judgeMail } from '../write/mail-retry.rules.ts';
import { readAlert } from '../write/notification.rules.ts';
import { operatorMessage, type OperatorMessageStyle } from './operator-message.rules.ts';
import { claimOperatorMessages, settleOperatorMessage, type DueOperatorMessage } from './operator-messages.ts';

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

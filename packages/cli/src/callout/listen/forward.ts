import { createHmac } from 'node:crypto';
import type { Schemas } from '@callout/client';
import { jsonLine, printable } from '../../output/printable.ts';
import type { Output } from '../../output/output.ts';

export type Pulled = Schemas['PulledCallouts']['items'][number];

export interface Nack {
  readonly ackID: string;
  readonly reason: string;
}

export interface ForwardOptions {
  /** The local address that callouts are sent to. */
  readonly forward: string;
  /** Undefined for a webhook that was there: only its owner knows it. */
  readonly secretKey: string | undefined;
  readonly isJson: boolean;
  readonly out: Output;
}

/** As long as the service itself would wait. */
const answerMs = 10_000;

/** Sends one callout to the local address, and shows what it answers. @returns the ackID of a callout that was taken, or why it was not. */
export async function forwardOne(
  { out, forward, secretKey, isJson }: ForwardOptions,
  { ackID, calloutID, headers, body }: Pulled,
): Promise<string | Nack> {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(answerMs);
  const outcome = await fetch(forward, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    async (response) => {
      // The answer is its status: a body that breaks off changes nothing.
      await response.body?.cancel().catch(() => undefined);
      return response.status;
    },
    (error: unknown) => reasonOf(error, forward),
  );
  const durationMs = Math.round(performance.now() - startedAt);
  const isVerified = secretKey === undefined ? null : isGenuine(secretKey, headers, body);
  const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome <= 299;
  if (isJson) {
    out.print(jsonLine({ calloutID, headers, body, isVerified, answer: outcome, durationMs }));
  } else {
    const { Action, EntityType, Id, SequenceNumber } = JSON.parse(body) as Record<string, unknown>;
    const what = printable(`${String(Action)} ${String(EntityType)} ${String(Id)}`);
    const verified = isVerified === true ? ' verified' : isVerified === false ? ' WRONG SIGNATURE' : '';
    const answer = isTaken ? out.green(String(outcome)) : out.red(String(outcome));
    out.print(`${answer}  ${what}  ${out.dim(`#${String(SequenceNumber)}${verified}, ${durationMs} ms`)}`);
  }
  if (isTaken) return ackID;
  return { ackID, reason: typeof outcome === 'number' ? `${forward} answered ${outcome}` : outcome };
}

function reasonOf(error: unknown, forward: string): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code === 'ECONNREFUSED') return `nothing listens at ${new URL(forward).host}`;
  if (error.name === 'TimeoutError') return `no answer within ${answerMs / 1_000} s`;
  return cause?.code ?? error.message;
}

/** Checks `webhook-signature` of Standard Webhooks, with a secret made here. */
function isGenuine(secretKey: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const key = Buffer.from(secretKey.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

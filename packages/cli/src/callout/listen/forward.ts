import { createHmac } from 'node:crypto';
import type { Schemas } from '@callout/client';
import { prepareSecret } from '@callout/pipeline/deliver/sign.rules';
import { Problem } from '@callout/domain/problem/problem';
import { jsonLine, printable, printableLines } from '../../output/printable.ts';
import type { Output } from '../../output/output.ts';

export type Pulled = Schemas['PulledCallouts']['items'][number];

export interface Nack {
  readonly ackID: string;
  readonly reason: string;
}

export interface ForwardOptions {
  /** The local address that callouts are sent to; undefined: they are only printed. */
  readonly forward: string | undefined;
  /** Undefined for a webhook that was there: only its owner knows it. */
  readonly secretKey: string | undefined;
  /** The name of the entity, such as Company. */
  readonly entityName: string;
  readonly isJson: boolean;
  readonly out: Output;
}

/** As long as the service itself would wait. */
const answerMs = 10_000;

/**
 * Sends one callout to the local address, and shows the response; without an address, shows the callout itself.
 * @returns the ackID of an accepted callout, or the reason of its rejection. A printed callout counts as accepted.
 */
export async function forwardOne(options: ForwardOptions, callout: Pulled): Promise<string | Nack> {
  const { out, forward, secretKey, isJson } = options;
  const { ackID, calloutID, headers, body } = callout;
  const isVerified = secretKey === undefined ? null : isGenuine(secretKey, headers, body);
  if (forward === undefined) {
    if (isJson) out.print(jsonLine({ calloutID, headers, body, isVerified, answer: null, durationMs: null }));
    else out.print(`${lineOf(options, callout, isVerified)}\n${indentedJson(body)}`);
    return ackID;
  }
  const { answer, durationMs } = await send(forward, callout);
  const isTaken = typeof answer === 'number' && answer >= 200 && answer <= 299;
  if (isJson) {
    out.print(jsonLine({ calloutID, headers, body, isVerified, answer, durationMs }));
  } else {
    const shown = isTaken ? out.green(String(answer)) : out.red(String(answer));
    out.print(`${shown}  ${lineOf(options, callout, isVerified, durationMs)}`);
  }
  if (isTaken) return ackID;
  return { ackID, reason: typeof answer === 'number' ? `${forward} answered ${answer}` : answer };
}

/** The status of the response, or the reason why there is none, and its duration. */
async function send(forward: string, { headers, body }: Pulled) {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(answerMs);
  const answer = await fetch(forward, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    async (response) => {
      // The response is its status: a body that breaks off changes nothing.
      await response.body?.cancel().catch(() => undefined);
      return response.status;
    },
    (error: unknown) => reasonOf(error, forward),
  );
  return { answer, durationMs: Math.round(performance.now() - startedAt) };
}

function lineOf(
  { out, entityName }: ForwardOptions,
  { body }: Pulled,
  isVerified: boolean | null,
  durationMs?: number,
): string {
  const { action, id, sequenceNumber } = envelopeOf(body);
  const what = printable(`${String(action)} ${entityName} ${String(id)}`);
  const verified = isVerified === true ? ' verified' : isVerified === false ? ' WRONG SIGNATURE' : '';
  const duration = durationMs === undefined ? '' : `, ${durationMs} ms`;
  return `${what}  ${out.dim(`#${String(sequenceNumber)}${verified}${duration}`)}`;
}

/** The same of a body in each format. */
function envelopeOf(body: string) {
  const parsed = JSON.parse(body) as Record<string, unknown>;
  const data = 'specversion' in parsed ? (parsed['data'] as Record<string, unknown>) : parsed;
  return {
    action: data['Action'] ?? data['action'],
    id: data['Id'] ?? data['id'],
    sequenceNumber: data['SequenceNumber'] ?? data['sequenceNumber'],
  };
}

/** The body for people: a line for each property. */
function indentedJson(body: string): string {
  return printableLines(JSON.stringify(JSON.parse(body), null, 2)).replaceAll(/^/gmu, '  ');
}

function reasonOf(error: unknown, forward: string): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: string } };
  if (cause?.code === 'ECONNREFUSED') return `nothing listens at ${new URL(forward).host}`;
  if (error.name === 'TimeoutError') return `no answer within ${answerMs / 1_000} s`;
  return cause?.code ?? error.message;
}

/** Checks `webhook-signature` of Standard Webhooks. */
function isGenuine(secretKey: string, headers: Readonly<Record<string, string>>, body: string): boolean {
  const { standardKey: key } = prepareSecret(secretKey);
  const signed = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/**
 * The address that `--forward` names: a port of this machine, a host with or without a port, or a whole URL. A port alone
 * is 127.0.0.1, since `localhost` may be an IPv6 address that a program does not listen at.
 * @throws a Problem 400 for anything else.
 */
export function forwardUrl(given: string): string {
  const text = given.trim();
  const url = /^\d+$/u.test(text)
    ? `http://127.0.0.1:${text}/`
    : /^[a-z][a-z\d+.-]*:\/\//iu.test(text)
      ? text
      : `http://${text}`;
  if (/^https?:\/\//iu.test(url) && URL.canParse(url)) return new URL(url).href;
  throw Problem.invalid(
    '--forward must be a port such as 3000, or an http URL such as http://localhost:3000/hook. Without --forward, callouts are only printed.',
  );
}

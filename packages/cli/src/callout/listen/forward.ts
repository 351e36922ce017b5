import type { Schemas } from '@callout/client';
import { Problem } from '@callout/domain/problem';
import { jsonLine, printable, printableLines } from '../../printable.ts';
import type { Output } from '../../output.ts';
import type { Verdict, Verifier } from './verify-pulled.ts';

export type Pulled = Schemas['PulledCallouts']['items'][number];

export interface Nack {
  readonly ackID: string;
  readonly reason: string;
}

export interface ForwardOptions {
  /** The local address for callouts; undefined: callouts are only printed. */
  readonly forward: string | undefined;
  readonly verify: Verifier;
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
  const { out, forward, isJson } = options;
  const { ackID, calloutID, headers, body } = callout;
  // At the same time: unreadable keys hold up no callout.
  const [verdict, sent] = await Promise.all([
    options.verify(headers, body),
    forward === undefined ? undefined : send(forward, callout),
  ]);
  if (isJson) {
    const { isVerified, verifiedBy } = verdict;
    const { answer, durationMs } = sent ?? { answer: null, durationMs: null };
    out.print(jsonLine({ calloutID, headers, body, isVerified, verifiedBy, answer, durationMs }));
  }
  if (forward === undefined || sent === undefined) {
    if (!isJson) out.print(`${lineOf(options, callout, verdict)}\n${indentedJson(body)}`);
    return ackID;
  }
  const { answer, durationMs } = sent;
  const isTaken = typeof answer === 'number' && answer >= 200 && answer <= 299;
  if (!isJson) {
    const shown = isTaken ? out.green(String(answer)) : out.red(String(answer));
    out.print(`${shown}  ${lineOf(options, callout, verdict, durationMs)}`);
  }
  if (isTaken) return ackID;
  return { ackID, reason: typeof answer === 'number' ? `${forward} answered ${answer}` : answer };
}

/** The status of the response, or the reason without a response, and the duration. */
async function send(forward: string, { headers, body }: Pulled) {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(answerMs);
  const answer = await fetch(forward, { method: 'POST', headers, body, redirect: 'manual', signal }).then(
    async (response) => {
      // Only the status counts: a body that breaks off changes nothing.
      await response.body?.cancel().catch(() => undefined);
      return response.status;
    },
    (error: unknown) => reasonOf(error, forward),
  );
  return { answer, durationMs: Math.round(performance.now() - startedAt) };
}

function lineOf({ out, entityName }: ForwardOptions, { body }: Pulled, verdict: Verdict, durationMs?: number): string {
  const { action, id, sequenceNumber } = envelopeOf(body);
  const what = printable(`${String(action)} ${entityName} ${String(id)}`);
  const duration = durationMs === undefined ? '' : `, ${durationMs} ms`;
  return `${what}  ${out.dim(`#${String(sequenceNumber)}${verdictText(verdict)}${duration}`)}`;
}

function verdictText({ isVerified, verifiedBy, wrong }: Verdict): string {
  if (isVerified === null) return '';
  if (isVerified) return ` verified by ${verifiedBy.join(' and ')}`;
  return wrong.length === 0 ? ' WRONG SIGNATURE' : ` WRONG SIGNATURE (${wrong.join(', ')})`;
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

/**
 * The address in `--forward`: a port of this machine, a host with or without a port, or a whole URL. A port alone is
 * 127.0.0.1, since `localhost` may be an IPv6 address without a listener.
 * @throws a Problem 400 for anything else.
 */
export function forwardUrl(address: string): string {
  const text = address.trim();
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

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Phase } from '../driver/workload.ts';
import type { CallCounts } from './call-counts.ts';
import type { Ledger } from './ledger.ts';
import type { Behaviour } from './messages.ts';
import { readCallout } from './read-callout.ts';

/** What the receiver does at the moment. */
export interface Duty {
  readonly phase: Phase;
  readonly ledger: Ledger;
  readonly behaviours: readonly Behaviour[];
  /** Of the webhooks that are not prompt. */
  readonly calls: CallCounts;
}

/** How long receivers take that are not prompt. */
const ANSWERS_AFTER_MS: Readonly<Partial<Record<Behaviour, number>>> = { slow: 500, sluggish: 2000 };
/** How many attempts of every callout a failing receiver refuses. */
const REFUSED_ATTEMPTS = 2;
/** Longer than any run is quiet: the receiver must not close a connection while a request is on its way. */
const KEEP_ALIVE_MS = 600_000;

/** The receiver's HTTP server: notes every request and answers with an empty 200, or as its webhook is told to behave. */
export function createReceiverServer(duty: () => Duty | undefined): Server {
  const attempts = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const atMs = nowMs();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [first = Buffer.alloc(0)] = chunks;
      receive(request, response, chunks.length > 1 ? Buffer.concat(chunks) : first, atMs);
    });
  });

  function receive(request: IncomingMessage, response: ServerResponse, body: Buffer, atMs: number): void {
    const now = duty();
    const callout = readCallout(request, body);
    if (now === undefined || callout === undefined || callout.phase !== now.phase) {
      now?.ledger.noteUnowed();
      answer(response, 200);
      return;
    }
    const behaviour = now.behaviours[callout.webhook] ?? 'prompt';
    if (behaviour !== 'prompt') response.once('close', now.calls.began(callout.webhook));
    const isTaken = takes(behaviour, callout.calloutId);
    now.ledger.note({ ...callout, atMs, isTaken }, body.length);
    if (behaviour === 'hanging') return;
    const afterMs = ANSWERS_AFTER_MS[behaviour];
    if (afterMs === undefined) answer(response, isTaken ? 200 : 500);
    else void sleep(afterMs).then(() => answer(response, 200));
  }

  function takes(behaviour: Behaviour, calloutId: string): boolean {
    if (behaviour === 'failing') return attemptsOf(calloutId) > REFUSED_ATTEMPTS;
    return behaviour !== 'broken' && behaviour !== 'hanging';
  }

  function attemptsOf(calloutId: string): number {
    const count = (attempts.get(calloutId) ?? 0) + 1;
    attempts.set(calloutId, count);
    return count;
  }

  return server;
}

function answer(response: ServerResponse, status: number): void {
  response.sendDate = false;
  response.writeHead(status, { 'Content-Length': 0 }).end();
}

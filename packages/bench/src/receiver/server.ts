import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Phase } from '../driver/workload.ts';
import type { Ledger } from './ledger.ts';
import type { Behaviour } from './messages.ts';
import { readCallout } from './read-callout.ts';

/** What the receiver does at the moment. */
export interface Duty {
  readonly phase: Phase;
  readonly ledger: Ledger;
  readonly behaviours: readonly Behaviour[];
}

/** How long a slow receiver takes. */
const SLOW_MS = 500;
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
    const behaviour = now.behaviours[callout.webhook];
    const isTaken = behaviour !== 'failing' || attemptsOf(callout.calloutId) > REFUSED_ATTEMPTS;
    now.ledger.note({ ...callout, atMs, isTaken }, body.length);
    if (behaviour === 'slow') void sleep(SLOW_MS).then(() => answer(response, 200));
    else answer(response, isTaken ? 200 : 500);
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

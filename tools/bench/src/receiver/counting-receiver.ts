import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOPBACK } from '@callout/local/process';
import { nowMs } from '../measure/latency.ts';
import { createLedger, type Arrivals, type Ledger } from './ledger.ts';
import { readerFor, type ReadRequest, type RequestSource } from './read-request.ts';

/**
 * How the receiver behind a webhook behaves: 'slow' takes two seconds to answer, 'failing' refuses every attempt, 'hanging'
 * never answers.
 */
export type Behaviour = 'prompt' | 'slow' | 'failing' | 'hanging';

/** What must come in a phase of a run. */
export interface Expected {
  readonly source: RequestSource;
  readonly events: number;
  /** One for each webhook. */
  readonly behaviours: readonly Behaviour[];
}

/** What the process of the receiver offers. */
export interface Receiver {
  /** Listens on so many ports. @param port the one to take instead of free ones. @returns the ports. */
  listen(count: number, port?: number): Promise<number[]>;
  /** Begins to count anew. */
  begin(expected: Expected): void;
  /** Changes the behaviour of all webhooks. @returns requests since the last change at webhooks that were not prompt. */
  behave(behaviours: readonly Behaviour[]): number;
  delivered(): number;
  arrivals(): Arrivals;
}

const SLOW_MS = 2000;
/** Longer than any run is quiet: the receiver must not close a connection while a request is on its way. */
const KEEP_ALIVE_MS = 600_000;

interface Duty {
  readonly read: ReadRequest;
  readonly ledger: Ledger;
  behaviours: readonly Behaviour[];
  requestsAtBad: number;
}

/** Counts every request and answers with an empty 200, or as its webhook behaves. */
export function createReceiver(): Receiver {
  let duty: Duty | undefined;

  function receive(request: IncomingMessage, response: ServerResponse, body: Buffer, atMs: number): void {
    const callout = duty?.read(request, body);
    if (duty === undefined || callout === undefined) {
      duty?.ledger.noteUnowed();
      answer(response, 200);
      return;
    }
    const behaviour = duty.behaviours[callout.webhook] ?? 'prompt';
    if (behaviour !== 'prompt') duty.requestsAtBad += 1;
    const isTaken = behaviour === 'prompt' || behaviour === 'slow';
    duty.ledger.note({ ...callout, atMs, isTaken }, body.length);
    if (behaviour === 'slow') void sleep(SLOW_MS).then(() => answer(response, 200));
    else if (behaviour !== 'hanging') answer(response, isTaken ? 200 : 500);
  }

  async function open(port = 0): Promise<number> {
    const server: Server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
      const atMs = nowMs();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => receive(request, response, Buffer.concat(chunks), atMs));
    });
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  const onDuty = (): Duty => {
    if (duty === undefined) throw new Error('nothing is expected yet');
    return duty;
  };
  return {
    listen: (count, port) => Promise.all(Array.from({ length: count }, () => open(port))),
    begin({ source, events, behaviours }) {
      const ledger = createLedger({ webhooks: behaviours.length, events });
      duty = { read: readerFor(source, behaviours.length), ledger, behaviours, requestsAtBad: 0 };
    },
    behave(behaviours) {
      const { requestsAtBad } = onDuty();
      Object.assign(onDuty(), { behaviours, requestsAtBad: 0 });
      return requestsAtBad;
    },
    delivered: () => onDuty().ledger.arrivals().delivered,
    arrivals: () => onDuty().ledger.arrivals(),
  };
}

function answer(response: ServerResponse, status: number): void {
  response.sendDate = false;
  response.writeHead(status, { 'Content-Length': 0 }).end();
}

import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Workload } from './workload.ts';

export interface DriveOptions {
  /** URL of the collection EntityEvents. */
  readonly url: string;
  /** Credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly workload: Workload;
  readonly eventsPerRequest: number;
  /** Requests under way at once; each sends its next when it has its answer. */
  readonly connections: number;
  /** 0 is no limit. */
  readonly eventsPerS: number;
}

export interface Driven {
  readonly firstSentAtMs: number;
  readonly lastAnsweredAtMs: number;
  /** By number of the event: when the request that holds it was sent. */
  readonly sentAtMs: Float64Array;
}

const PATIENCE_MS = 60_000;

/**
 * Sends all events of a workload in a closed loop. Every event must be accepted: an event that is refused, known or
 * changes nothing would make the count of callouts owed wrong.
 * @throws Error with the API's answer when it is anything else.
 */
export async function drive(options: DriveOptions): Promise<Driven> {
  const { workload, eventsPerRequest, eventsPerS } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const sentAtMs = new Float64Array(workload.events);
  const startedAtMs = nowMs();
  let next = 0;
  let firstSentAtMs = Number.POSITIVE_INFINITY;

  async function connection(): Promise<void> {
    while (next < workload.events) {
      const from = next;
      const to = Math.min(from + eventsPerRequest, workload.events);
      next = to;
      const body = workload.body(from, to);
      if (eventsPerS > 0) await sleepUntil(startedAtMs + (from / eventsPerS) * 1000);
      const sentMs = nowMs();
      firstSentAtMs = Math.min(firstSentAtMs, sentMs);
      sentAtMs.fill(sentMs, from, to);
      mustAllBeAccepted(await post(options, agent, body), to - from);
    }
  }

  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
    return { firstSentAtMs, lastAnsweredAtMs: nowMs(), sentAtMs };
  } finally {
    agent.destroy();
  }
}

async function sleepUntil(timeMs: number): Promise<void> {
  const waitMs = timeMs - nowMs();
  if (waitMs > 0) await sleep(waitMs);
}

function post({ url, headers }: DriveOptions, agent: Agent, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
      timeout: PATIENCE_MS,
    });
    outgoing.on('response', (incoming) => {
      buffer(incoming).then((bytes) => resolve({ status: incoming.statusCode ?? 0, body: bytes.toString() }), reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url} gave no answer within ${PATIENCE_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function mustAllBeAccepted({ status, body }: Answer, events: number): void {
  if (status === 202) {
    const { items } = JSON.parse(body) as { items: { status: string }[] };
    if (items.length === events && items.every((item) => item.status === 'accepted')) return;
  }
  throw new Error(`EntityEvents did not accept ${events} events, but answered ${status}: ${body.slice(0, 500)}`);
}

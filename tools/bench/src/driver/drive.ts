import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../measure/latency.ts';

export interface DriveOptions {
  readonly method?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: number;
  readonly eventsPerRequest: number;
  /** The body of a request with the events from `from` up to, not including, `to`. */
  readonly body: (from: number, to: number) => Buffer;
  /** Whether an answer accepts so many events. */
  readonly isAccepted: (status: number, body: string, events: number) => boolean;
  /** Requests under way at once; each sends its next when it has its answer. */
  readonly connections: number;
  /** Events per second; 0 is no limit. */
  readonly rate: number;
}

export interface Driven {
  readonly firstSentAtMs: number;
  readonly lastAnsweredAtMs: number;
  /** By number of the event: when the request that holds it was sent. */
  readonly sentAtMs: Float64Array;
  /** Of each request, from sending it to its answer. */
  readonly answeredAfterMs: readonly number[];
}

const PATIENCE_MS = 60_000;

/**
 * Sends events in a closed loop. Every event must be accepted: otherwise the count of callouts owed would be wrong.
 * @throws Error with the answer when it is anything else.
 */
export async function drive(options: DriveOptions): Promise<Driven> {
  const { url, events, eventsPerRequest, rate } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const sentAtMs = new Float64Array(events);
  const answeredAfterMs: number[] = [];
  const startedAtMs = nowMs();
  let next = 0;
  let firstSentAtMs = Number.POSITIVE_INFINITY;

  async function connection(): Promise<void> {
    while (next < events) {
      const from = next;
      const to = Math.min(from + eventsPerRequest, events);
      next = to;
      const body = options.body(from, to);
      const waitMs = rate > 0 ? startedAtMs + (from / rate) * 1000 - nowMs() : 0;
      if (waitMs > 0) await sleep(waitMs);
      const sentMs = nowMs();
      firstSentAtMs = Math.min(firstSentAtMs, sentMs);
      sentAtMs.fill(sentMs, from, to);
      const answer = await post(options, agent, body);
      answeredAfterMs.push(nowMs() - sentMs);
      if (!options.isAccepted(answer.status, answer.body, to - from))
        throw new Error(
          `${url} did not accept ${to - from} events, but answered ${answer.status}: ${answer.body.slice(0, 500)}`,
        );
    }
  }

  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
    return { firstSentAtMs, lastAnsweredAtMs: nowMs(), sentAtMs, answeredAfterMs };
  } finally {
    agent.destroy();
  }
}

function post({ method = 'POST', url, headers }: DriveOptions, agent: Agent, body: Buffer) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const outgoing = request(url, {
      method,
      agent,
      headers: { 'Content-Type': 'application/json', ...headers, 'Content-Length': body.length },
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

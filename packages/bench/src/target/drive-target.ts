import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import type { Markers } from './marker.ts';
import type { Target } from './target-file.ts';

export interface DriveTargetOptions {
  readonly target: Target;
  readonly markers: Markers;
  readonly events: number;
  readonly connections: number;
  /** 0 is no limit. */
  readonly eventsPerS: number;
}

export interface DrivenTarget {
  readonly firstSentAtMs: number;
  readonly lastAnsweredAtMs: number;
  /** By event. */
  readonly sentAtMs: Float64Array;
  /** From the request to its answer, by event. */
  readonly answeredAfterMs: Float64Array;
}

const PATIENCE_MS = 60_000;

/**
 * Sends one event per request, in a closed loop of some connections.
 * @throws Error with the answer when one is not accepted: what is owed would not be known.
 */
export async function driveTarget(options: DriveTargetOptions): Promise<DrivenTarget> {
  const { target, markers, events, eventsPerS } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections });
  const sentAtMs = new Float64Array(events);
  const answeredAfterMs = new Float64Array(events);
  const startedAtMs = nowMs();
  let next = 0;

  async function connection(): Promise<void> {
    while (next < events) {
      const event = next;
      next += 1;
      if (eventsPerS > 0) {
        const waitMs = startedAtMs + (event / eventsPerS) * 1000 - nowMs();
        if (waitMs > 0) await sleep(waitMs);
      }
      const sentMs = nowMs();
      sentAtMs[event] = sentMs;
      await send(target, agent, markers.body(event));
      answeredAfterMs[event] = nowMs() - sentMs;
    }
  }

  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
    return { firstSentAtMs: sentAtMs[0] ?? startedAtMs, lastAnsweredAtMs: nowMs(), sentAtMs, answeredAfterMs };
  } finally {
    agent.destroy();
  }
}

function send({ request: { method, url, headers, accepted } }: Target, agent: Agent, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const own = { 'Content-Type': 'application/json', ...headers, 'Content-Length': body.length };
    const outgoing = request(url, { method, agent, headers: own, timeout: PATIENCE_MS });
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      const refused = (text: string) => new Error(`${url} answered ${status}: ${text.slice(0, 500)}`);
      buffer(incoming).then(
        (bytes) => (accepted.includes(status) ? resolve() : reject(refused(String(bytes)))),
        reject,
      );
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url} gave no answer within ${PATIENCE_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

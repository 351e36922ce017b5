import { Agent, request, type IncomingMessage } from 'node:http';
import type { CallHeaders } from '../setup.ts';

/** Viewers of `GET /Live`, each with a connection of its own. */
export interface Watching {
  /** Events that all of them were told so far. */
  readonly told: () => number;
  /** Events that they were told to have missed. */
  readonly lost: () => number;
  readonly stop: () => void;
}

const attempt = 'event: attempt\n';
const lostCount = /event: lost\ndata: \{"count":(\d+)/gu;

/**
 * Connects viewers, and reads what they are told. Resolves when all of them are told that events come.
 * @param url up to and including `/v1.0`.
 * @param callers each viewer takes the next one.
 */
export async function watch(url: string, callers: readonly CallHeaders[], viewers: number): Promise<Watching> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  let told = 0;
  let lost = 0;

  async function connect(headers: CallHeaders): Promise<void> {
    const response = await answerOf(`${url}/Live`, headers, agent);
    await new Promise<void>((resolve, reject) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (text.includes('event: live')) resolve();
        for (let at = text.indexOf(attempt); at !== -1; at = text.indexOf(attempt, at + attempt.length)) told += 1;
        for (const [, count] of text.matchAll(lostCount)) lost += Number(count);
      });
      response.on('error', () => undefined);
      response.on('end', () => reject(new Error('a stream ended')));
    });
  }

  // Some at a time, as people come.
  const atOnce = 50;
  for (let first = 0; first < viewers; first += atOnce) {
    const group = Array.from(
      { length: Math.min(atOnce, viewers - first) },
      (_, n) => callers[(first + n) % callers.length],
    );
    await Promise.all(group.map((caller) => connect(caller ?? {})));
  }
  return { told: () => told, lost: () => lost, stop: () => agent.destroy() };
}

function answerOf(url: string, headers: CallHeaders, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent }, (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`GET /Live answered ${response.statusCode}`));
    });
    sent.on('error', reject);
    sent.end();
  });
}

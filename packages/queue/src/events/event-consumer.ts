import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer } from '../jobs/consumer.ts';
import { eventQueueKey } from './event-queue.ts';
import type { Producer } from '../jobs/producer.ts';
import { connectConsumer } from '../redis/redis.ts';

export interface EventConsumerOptions {
  url: string;
  prefix: string;
  /** Events worked on together, at most. */
  maxEvents: number;
  /** Batches worked on at once. */
  concurrency: number;
  /** @param priority which all events of a batch have in common. */
  work: (eventIds: string[], priority: number) => Promise<void>;
  /** For what this consumer gives back when it is closed. */
  producer: Pick<Producer, 'redis' | 'enqueueEvents'>;
  /** Redis is away, or refused a command. */
  onError: (error: Error) => void;
  /** The work on a batch failed, or there was something else in the queue than event ids. */
  onFailed: (error: Error) => void;
}

/** How long Redis holds the answer while no event comes. Shorter than the silence after which a connection is replaced. */
const blockSeconds = 10;
/** How long nothing is asked of a Redis that has refused a command: it is full, or may not be written to. */
const restMs = 1_000;
/** How long a closing consumer waits for Redis to end its blocking command. */
const goodbyeMs = 1_000;
const eventId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/**
 * Takes pending events from the queue: those of the lowest priority first, those of different priorities in different
 * batches. Only what can be worked on at once is taken, so that an event of a lower priority that comes meanwhile goes
 * before the rest. While there is none, Redis holds the answer until one comes: nothing is polled.
 *
 * What a process that dies has taken is in PostgreSQL still, and the sweep enqueues it again.
 */
export function createEventConsumer(options: EventConsumerOptions): Consumer {
  const { url, prefix, maxEvents, concurrency, work, producer, onError, onFailed } = options;
  const key = eventQueueKey(url, prefix);
  /** Nothing else waits for this key: whatever is put there ends a blocking command of this consumer. */
  const closingKey = `${key}:closing:${randomUUID()}`;
  const closing = new AbortController();
  const connection = connectConsumer({ url, onError, isWanted: () => !closing.signal.aborted });
  /** Event ids that are taken and not worked on yet, by priority. */
  const inHand = new Map<number, string[]>();
  let isAsking = false;
  let taking = Promise.resolve<[number, string[]] | undefined>(undefined);

  /** One asks at a time: whichever is free first has what comes first. */
  const takeNext = () => (taking = taking.then(take));

  async function take(): Promise<[number, string[]] | undefined> {
    if (closing.signal.aborted) return undefined;
    isAsking = true;
    try {
      const free = maxEvents - [...inHand.values()].reduce((sum, ids) => sum + ids.length, 0);
      keep(inHand.size > 0 ? await pop(free) : await waitAndPop(free));
    } catch (error) {
      await rest(error as Error);
    } finally {
      isAsking = false;
    }
    return closing.signal.aborted || inHand.size === 0 ? undefined : takeLowest();
  }

  function takeLowest(): [number, string[]] {
    const lowest = Math.min(...inHand.keys());
    const eventIds = inHand.get(lowest) ?? [];
    inHand.delete(lowest);
    return [lowest, eventIds];
  }

  async function pop(count: number): Promise<unknown[]> {
    return (await connection.zpopmin(key, count)).flat();
  }

  /** Two commands in one packet: the second takes what came together with the first event. */
  async function waitAndPop(count: number): Promise<unknown[]> {
    const replies = await connection
      .pipeline()
      .bzpopmin(closingKey, key, blockSeconds)
      .zpopmin(key, count - 1)
      .exec();
    const [first, others] = (replies ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply as unknown[] | null;
    });
    const [from, member, score] = first ?? [];
    return [...(from === key ? [member, score] : []), ...(others ?? []).flat()];
  }

  /** @param popped members and scores alternately. Another program that can write to Redis can put anything there. */
  function keep(popped: unknown[]): void {
    let refused = 0;
    for (let at = 0; at < popped.length; at += 2) {
      const [member, score] = [String(popped[at]), Number(popped[at + 1])];
      const priority = Number.isSafeInteger(score) ? score : 0;
      const eventIds = inHand.get(priority);
      if (!eventId.test(member)) refused += 1;
      else if (eventIds) eventIds.push(member);
      else inHand.set(priority, [member]);
    }
    if (refused > 0) onFailed(new Error(`${refused} entries of ${key} are no event ids`));
  }

  async function rest(refusal: Error): Promise<void> {
    // Ended by `close`.
    if (closing.signal.aborted) return;
    onError(refusal);
    // The key is ours, and what is there is of no use: without it the queue works again.
    if (refusal.message.startsWith('WRONGTYPE')) await connection.unlink(key).catch(onError);
    await sleep(restMs, undefined, { ref: false, signal: closing.signal }).catch(() => undefined);
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const [priority, eventIds] = (await takeNext()) ?? [0, []];
      if (eventIds.length > 0) await work(eventIds, priority).catch(onFailed);
    }
  }

  /** Ends the blocking command in such a way that nothing is lost that Redis has just answered. */
  async function endAsking(): Promise<void> {
    if (!isAsking) return;
    await producer.redis.pipeline().zadd(closingKey, 0, 'closing').pexpire(closingKey, restMs).exec();
    await taking;
  }

  const running = Array.from({ length: concurrency }, run);
  return {
    isReady: () => connection.status === 'ready',
    async close() {
      closing.abort();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => (timer = setTimeout(resolve, goodbyeMs)));
      await Promise.race([endAsking().catch(() => undefined), patience]);
      clearTimeout(timer);
      connection.disconnect();
      await Promise.all(running);
      for (const [priority, eventIds] of inHand) producer.enqueueEvents(eventIds, priority);
      inHand.clear();
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAllEvents, pendingEvents, webhooksWithDueCallouts } from '@callout/pipeline/sweep/find-due';
import type { Database } from '@callout/database/connection/database';
import { maxQueuedEvents } from '@callout/queue/event-queue';
import type { Producer } from '@callout/queue/producer';
import { CannotGoOn, reasonOf } from '../../../cannot-go-on.ts';

interface RebuildDeps {
  readonly pool: Database['pool'];
  readonly producer: Pick<Producer, 'isReady' | 'enqueue' | 'enqueueEvents' | 'waitingEvents'>;
  /** The refusals of Redis, oldest first; grows while calls are under way. */
  readonly errors: readonly Error[];
  /** How long a full queue may stay full. */
  readonly fullForMs?: number;
}

/** The number of enqueued items. */
export interface Enqueued {
  readonly events: number;
  readonly webhooks: number;
}

const EVENTS_AT_ONCE = 500;
const WEBHOOKS_PER_JOB = 100;
const REDIS_PATIENCE_MS = 5_000;
const FULL_FOR_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Enqueues every webhook with due callouts and every pending event, independent of the present contents of Redis.
 * Events for which there is no capacity wait until the workers have freed some.
 * @throws CannotGoOn when Redis is not there, or goes away before all is enqueued, or its queue is full and stays full.
 */
export async function rebuildQueue(deps: RebuildDeps): Promise<Enqueued> {
  const { pool, producer } = deps;
  await untilReady(deps);
  let webhooks = 0;
  for (let after = 0; ;) {
    const webhookKeys = await webhooksWithDueCallouts(pool, after, WEBHOOKS_PER_JOB);
    const last = webhookKeys.at(-1);
    if (last === undefined) break;
    producer.enqueue('deliver', { webhookKeys });
    await waitingEvents(deps);
    webhooks += webhookKeys.length;
    after = last;
  }
  let events = 0;
  for (let after = beforeAllEvents; ;) {
    const eventIds = await pendingEvents(pool, after, EVENTS_AT_ONCE);
    const last = eventIds.at(-1);
    if (last === undefined) break;
    await untilRoom(deps, events);
    producer.enqueueEvents(eventIds);
    events += eventIds.length;
    after = last;
  }
  await waitingEvents(deps);
  return { events, webhooks };
}

async function untilReady({ producer, errors }: RebuildDeps): Promise<void> {
  const deadline = Date.now() + REDIS_PATIENCE_MS;
  while (!producer.isReady()) {
    if (Date.now() >= deadline) {
      const reason = errors.length > 0 ? `: ${reasonOf(errors.at(-1))}` : '';
      throw new CannotGoOn(`The Redis that REDIS_URL names cannot be reached${reason}`);
    }
    await sleep(20);
  }
}

/** Enqueueing has no response; the length of the queue, read after it, shows whether Redis accepted it. */
async function waitingEvents({ producer, errors }: RebuildDeps): Promise<number> {
  const waiting = await producer.waitingEvents();
  if (waiting !== null && errors.length === 0) return waiting;
  const reason = errors.length > 0 ? `: ${reasonOf(errors.at(-1))}` : '';
  throw new CannotGoOn(`Redis went away before everything was enqueued${reason}. Run it again.`);
}

async function untilRoom(deps: RebuildDeps, enqueued: number): Promise<void> {
  const deadline = Date.now() + (deps.fullForMs ?? FULL_FOR_MS);
  // Producers drop entries beyond the limit a little later: those of the API need some of the capacity too.
  while ((await waitingEvents(deps)) > maxQueuedEvents / 2) {
    if (Date.now() >= deadline) {
      throw new CannotGoOn(
        `The queue is full, and no worker takes events from it. ${enqueued} events were enqueued; once a worker runs, it finds the others by itself.`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

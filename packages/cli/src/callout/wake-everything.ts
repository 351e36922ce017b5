import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAllEvents, pendingEvents, webhooksWithDueCallouts } from '@callout/db/claim';
import type { Database } from '@callout/db/connection';
import type { Producer } from '@callout/queue';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';

interface WakeDeps {
  readonly pool: Database['pool'];
  readonly producer: Pick<Producer, 'isReady' | 'wake' | 'waiting'>;
  /** What Redis refused, oldest first; grows while calls are under way. */
  readonly errors: readonly Error[];
}

/** What was woken. */
export interface Woken {
  readonly events: number;
  readonly webhooks: number;
}

const EVENTS_PER_JOB = 500;
const WEBHOOKS_PER_JOB = 100;
const REDIS_PATIENCE_MS = 5_000;

/**
 * Puts a wake-up call for every pending event and every webhook with due callouts into Redis, without regard to calls
 * that are there already. Throws CannotGoOn when Redis is not there, or goes away before all calls are put.
 */
export async function wakeEverything(deps: WakeDeps): Promise<Woken> {
  const { pool, producer } = deps;
  await untilReady(deps);
  let events = 0;
  for (let after = beforeAllEvents; ;) {
    const eventIds = await pendingEvents(pool, after, EVENTS_PER_JOB);
    const last = eventIds.at(-1);
    if (last === undefined) break;
    await put(deps, () => producer.wake('match', { eventIds }));
    events += eventIds.length;
    after = last;
  }
  let webhooks = 0;
  for (let after = 0; ;) {
    const webhookKeys = await webhooksWithDueCallouts(pool, after, WEBHOOKS_PER_JOB);
    const last = webhookKeys.at(-1);
    if (last === undefined) break;
    await put(deps, () => producer.wake('deliver', { webhookKeys }));
    webhooks += webhookKeys.length;
    after = last;
  }
  // Answered after all calls before it, on the same connection.
  await put(deps, () => undefined);
  return { events, webhooks };
}

async function untilReady({ producer, errors }: WakeDeps): Promise<void> {
  const deadline = Date.now() + REDIS_PATIENCE_MS;
  while (!producer.isReady()) {
    if (Date.now() >= deadline) {
      const reason = errors.length > 0 ? `: ${reasonOf(errors.at(-1))}` : '';
      throw new CannotGoOn(`The Redis that REDIS_URL names cannot be reached${reason}`);
    }
    await sleep(20);
  }
}

/** A call gives no answer of its own; asking for the length of the queue behind it tells whether Redis took it. */
async function put({ producer, errors }: WakeDeps, wake: () => void): Promise<void> {
  wake();
  const waiting = await producer.waiting('match');
  if (waiting !== null && errors.length === 0) return;
  const reason = errors.length > 0 ? `: ${reasonOf(errors.at(-1))}` : '';
  throw new CannotGoOn(`Redis went away before everything was woken${reason}. Run it again.`);
}

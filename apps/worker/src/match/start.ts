import { createSubscriptionReader } from '@callout/db/match';
import { createConsumer } from '@callout/queue';
import { createBatches } from '@callout/runtime/concurrency';
import type { StopStep } from '@callout/runtime/process';
import { matchEvents, type MatchDeps } from './match.ts';
import type { Lanes } from '../deliver/lanes.ts';
import type { RoleDeps } from '../role.ts';
import { createLeaseAtMatch } from './lease-at-match.ts';

const eventsPerMatch = 500;
/** Two, so that one judges while the other commits. */
const matchesAtOnce = 2;
/** Jobs taken at once: those that come while both matches are under way share the next one. */
const jobsAtOnce = 100;
const maxKeptSubscriptions = 20_000;

interface TakenJob {
  eventIds: readonly string[];
  turn: number;
}

/**
 * The role that turns pending events into callouts.
 * @param lanes of this process, when it delivers too: what has a slot there goes out as soon as it is matched.
 */
export function startMatch(
  { config, catalogue, pool, producer, redis, log }: RoleDeps,
  lanes: Lanes | null = null,
): StopStep[] {
  const readSubscriptions = createSubscriptionReader(catalogue, maxKeptSubscriptions);
  const deps: MatchDeps = {
    pool,
    catalogue,
    readSubscriptions,
    maxEvents: eventsPerMatch,
    onError: (err) => log.error({ err }, 'events could not be matched; the sweep wakes them again'),
    leaseAtMatch:
      lanes &&
      createLeaseAtMatch({
        pool,
        lanes,
        leaseMs: config.LEASE_MS,
        threshold: config.CALLOUT_THRESHOLD,
        nowMs: () => performance.now(),
      }),
  };
  const enqueueDeliver = (webhookKeys: readonly number[]): void => {
    // What finds no slot here is for whichever process has one.
    const here = webhookKeys.filter((key) => lanes !== null && lanes.slotsOf(key) > 0);
    if (here.length > 0) lanes?.enqueue(here);
    const elsewhere = webhookKeys.filter((key) => !here.includes(key));
    if (elsewhere.length > 0) producer.wake('deliver', { webhookKeys: elsewhere });
  };
  let isStopping = false;
  const matches = createBatches<TakenJob, void>({
    gatherMs: 0,
    maxWeight: eventsPerMatch,
    weigh: ({ eventIds }) => eventIds.length,
    // Those who send little do not wait behind what was taken before, nor share a transaction with it.
    turnOf: ({ turn }) => turn,
    concurrency: matchesAtOnce,
    async write(jobs) {
      const eventIds = jobs.flatMap((job) => job.eventIds);
      if (isStopping) {
        // What is in hand may be more than there is time for: whoever is there next takes it, in its turn.
        producer.wake('match', { eventIds }, jobs[0]?.turn);
        return [];
      }
      const { matched, webhookKeys, leftEventIds } = await matchEvents(deps, eventIds);
      log.debug({ matched, webhooks: webhookKeys.length }, 'matched');
      enqueueDeliver(webhookKeys);
      // They keep their turn, which all jobs of a batch have in common.
      if (leftEventIds.length > 0) producer.wake('match', { eventIds: leftEventIds }, jobs[0]?.turn);
      return [];
    },
  });
  const consumer = createConsumer({
    ...redis,
    name: 'match',
    concurrency: jobsAtOnce,
    work: ({ eventIds }, turn) => matches.add({ eventIds, turn }),
    onFailed: (err) => log.warn({ err }, 'a match failed; the sweep wakes its events again'),
  });
  const stop = (): Promise<void> => {
    isStopping = true;
    return consumer.close();
  };
  return [{ name: 'match', stop }];
}

import { createSubscriptionReader } from '@callout/db';
import { createConsumer } from '@callout/queue';
import { createBatches } from '@callout/runtime';
import { matchEvents, type MatchDeps } from '../match.ts';
import type { RoleDeps, StartRole } from './role.ts';

const eventsPerMatch = 500;
/** Two, so that one judges while the other commits. */
const matchesAtOnce = 2;
/** Jobs taken at once: those that come while both matches are under way share the next one. */
const jobsAtOnce = 100;
const maxKeptSubscriptions = 20_000;

/** The role that turns pending events into callouts. */
export const startMatch: StartRole = ({ catalogue, pool, producer, redis, log }: RoleDeps) => {
  const readSubscriptions = createSubscriptionReader(catalogue, maxKeptSubscriptions);
  const deps: MatchDeps = {
    pool,
    catalogue,
    readSubscriptions,
    maxEvents: eventsPerMatch,
    onError: (err) => log.error({ err }, 'events could not be matched; the sweep wakes them again'),
  };
  const matches = createBatches<readonly string[], void>({
    gatherMs: 0,
    maxWeight: eventsPerMatch,
    weigh: (eventIds) => eventIds.length,
    concurrency: matchesAtOnce,
    async write(jobs) {
      const eventIds = jobs.flat();
      const { matched, webhookKeys, leftEventIds } = await matchEvents(deps, eventIds);
      log.debug({ matched, webhooks: webhookKeys.length }, 'matched');
      if (webhookKeys.length > 0) producer.wake('deliver', { webhookKeys });
      if (leftEventIds.length > 0) producer.wake('match', { eventIds: leftEventIds });
      return [];
    },
  });
  const consumer = createConsumer({
    ...redis,
    name: 'match',
    concurrency: jobsAtOnce,
    work: ({ eventIds }) => matches.add(eventIds),
    onFailed: (err) => log.warn({ err }, 'a match failed; the sweep wakes its events again'),
  });
  return [{ name: 'match', stop: () => consumer.close() }];
};

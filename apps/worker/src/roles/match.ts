import { createSubscriptionReader } from '@callout/db';
import { createConsumer } from '@callout/queue';
import { matchEvents, type MatchDeps } from '../match.ts';
import type { RoleDeps, StartRole } from './role.ts';

const eventsPerMatch = 500;
/** Two, so that one judges while the other commits. */
const matchesAtOnce = 2;
const maxKeptSubscriptions = 20_000;

/** The role that turns pending events into callouts. */
export const startMatch: StartRole = ({ catalogue, pool, producer, redis, log }: RoleDeps) => {
  const readSubscriptions = createSubscriptionReader(catalogue, maxKeptSubscriptions);
  const deps: MatchDeps = { pool, catalogue, readSubscriptions, maxEvents: eventsPerMatch };
  const consumer = createConsumer({
    ...redis,
    name: 'match',
    concurrency: matchesAtOnce,
    async work({ eventIds }) {
      const { matched, webhookKeys, mayHaveMore } = await matchEvents(deps, eventIds);
      log.debug({ matched, webhooks: webhookKeys.length }, 'matched');
      if (webhookKeys.length > 0) producer.wake('deliver', { webhookKeys });
      if (mayHaveMore) producer.wake('match', { eventIds });
    },
  });
  return [{ name: 'match', stop: () => consumer.close() }];
};

import { setTimeout as sleep } from 'node:timers/promises';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { RoleDeps } from '../stage.ts';
import { claimLateEvents, webhooksWithDueCallouts } from './find-due.ts';

/** What the process does with work that was found; null: the process has not the role. */
interface OwnWork {
  /** Matches events. @returns the events that are still pending. */
  readonly match: ((eventIds: string[]) => Promise<string[]>) | null;
  /** Sends what is due of webhooks. */
  readonly deliver: ((webhookKeys: number[]) => void) | null;
}

/** As in the sweep. */
const eventsAtOnce = 500;
const webhooksAtOnce = 100;
/** The next round continues. */
const mostSteps = 20;

/**
 * While Redis cannot be used, whatever the reason, each worker looks in PostgreSQL for the work of the roles that the
 * worker has, at the pace of the sweep. Several workers find different events, and claim different callouts.
 */
export function startWithoutRedis(
  { paces, pool, producer, log }: Pick<RoleDeps, 'paces' | 'pool' | 'producer' | 'log'>,
  { match, deliver }: OwnWork,
): StopStep {
  const stopping = new AbortController();
  const { signal } = stopping;
  const onError = logRepeats(log, 'work could not be found without Redis; the next round tries again');
  let afterKey = 0;

  async function matchLate(work: NonNullable<OwnWork['match']>): Promise<void> {
    for (let step = 0; step < mostSteps && !signal.aborted; step += 1) {
      let eventIds = await claimLateEvents(pool, eventsAtOnce);
      if (eventIds.length === 0) return;
      log.info({ events: eventIds.length }, 'events are matched without Redis');
      while (eventIds.length > 0 && !signal.aborted) {
        const pendingIds = await work(eventIds);
        // Without progress the events wait for a later round.
        if (pendingIds.length === eventIds.length) return;
        eventIds = pendingIds;
      }
    }
  }

  async function deliverDue(work: NonNullable<OwnWork['deliver']>): Promise<void> {
    for (let step = 0; step < mostSteps; step += 1) {
      const webhookKeys = await webhooksWithDueCallouts(pool, afterKey, webhooksAtOnce);
      work(webhookKeys);
      afterKey = webhookKeys.length < webhooksAtOnce ? 0 : (webhookKeys.at(-1) ?? 0);
      if (afterKey === 0) return;
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      await sleep(paces.sweepEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (producer.isReady()) continue;
      await Promise.all([
        match === null ? undefined : matchLate(match).catch(onError),
        deliver === null ? undefined : deliverDue(deliver).catch(onError),
      ]);
    }
  }

  const running = run();
  return {
    name: 'work without Redis',
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@callout/runtime/log/logger';
import { testMetrics } from '../fixtures/test-metrics.ts';
import { sweepCallouts, sweepEvents, type SweepDeps } from '@callout/pipeline/sweep/sweep';

/** A sweep over webhooks 1 to `webhooks`, all of which have due callouts, and over `events` late events. */
function aSweep({ webhooks = 0, events = 0, waiting = 0 as number | null, isClaimed = true }) {
  const jobs: unknown[] = [];
  let left = events;
  const deps: SweepDeps = {
    async claimLateEvents(limit) {
      const taken = Math.min(left, limit);
      left -= taken;
      return Array.from({ length: taken }, (_, nth) => `event ${nth}`);
    },
    async webhooksWithDueCallouts(after, limit) {
      return Array.from({ length: Math.min(limit, webhooks - after) }, (_, nth) => after + nth + 1);
    },
    producer: {
      enqueueWebhooks: (webhookKeys) => void jobs.push({ webhookKeys }),
      enqueueEvents: (eventIds) => void jobs.push({ eventIds }),
      waitingJobs: async () => (waiting === null ? null : waiting + jobs.length),
      claimPeriod: async () => isClaimed,
    },
    everyMs: 1000,
    log: createLogger({ service: 'test', level: 'silent' }),
    metrics: testMetrics(),
  };
  return { deps, jobs };
}

describe('a round over due callouts', () => {
  it('enqueues all webhooks and starts over, or continues where it ended', async () => {
    const few = aSweep({ webhooks: 250 });
    expect(await sweepCallouts(few.deps, 0)).toBe(0);
    expect(few.jobs).toHaveLength(3);
    const many = aSweep({ webhooks: 2_600 });
    const after = await sweepCallouts(many.deps, 0);
    expect(after).toBe(2_000);
    expect(await sweepCallouts(many.deps, after)).toBe(0);
    const enqueued = many.jobs.flatMap((job) => (job as { webhookKeys: number[] }).webhookKeys);
    expect(enqueued).toEqual(Array.from({ length: 2_600 }, (_, nth) => nth + 1));
  });

  it('enqueues nothing in a period that another worker has claimed', async () => {
    const { deps, jobs } = aSweep({ webhooks: 250, isClaimed: false });
    expect(await sweepCallouts(deps, 100)).toBe(100);
    expect(jobs).toEqual([]);
  });
});

describe('a round', () => {
  it.each([
    ['while the queue is full', 1_000],
    ['while Redis is away', null],
  ])('pauses %s', async (_when, waiting) => {
    const { deps, jobs } = aSweep({ webhooks: 250, events: 900, waiting });
    expect(await sweepCallouts(deps, 0)).toBe(0);
    await sweepEvents(deps);
    expect(jobs).toEqual([]);
  });

  it('ends when the queue becomes full, and continues there later', async () => {
    const { deps, jobs } = aSweep({ webhooks: 1_000, waiting: 997 });
    expect(await sweepCallouts(deps, 0)).toBe(300);
    expect(jobs).toHaveLength(3);
  });

  it('enqueues late events in bounded batches', async () => {
    const { deps, jobs } = aSweep({ events: 1_200 });
    await sweepEvents(deps);
    expect(jobs.map((job) => (job as { eventIds: string[] }).eventIds.length)).toEqual([500, 500, 200]);
  });
});

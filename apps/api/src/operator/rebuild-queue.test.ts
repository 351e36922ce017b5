import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { maxMatchJobs } from '@callout/queue/job-sender';
import { rebuildQueue } from './rebuild-queue.ts';

const eventId = randomUUID();

/** A database with one pending event and nothing due, and a queue with the given lengths. */
function aFullQueue(lengths: (number | null)[], fullForMs = 150) {
  const enqueued: string[] = [];
  const answers = [[], [{ event_id: eventId }], []];
  const pool = { query: async () => ({ rows: answers.shift() ?? [] }) };
  const producer = {
    isReady: () => true,
    enqueueWebhooks: () => undefined,
    enqueueEvents: (eventIds: readonly string[]) => void enqueued.push(...eventIds),
    waitingJobs: async () => (lengths.length > 1 ? lengths.shift() : lengths[0]) ?? null,
  };
  return { enqueued, deps: { pool: pool as never, producer, hasFailed: () => false, fullForMs } };
}

describe('rebuilding the queue', () => {
  it('waits until the workers have freed capacity', async () => {
    const { enqueued, deps } = aFullQueue([maxMatchJobs, maxMatchJobs, 0], 60_000);
    expect(await rebuildQueue(deps)).toEqual({ events: 1, webhooks: 0 });
    expect(enqueued).toEqual([eventId]);
  });

  it('gives up when none frees capacity, and says what happens to the rest', async () => {
    const { enqueued, deps } = aFullQueue([maxMatchJobs]);
    await expect(rebuildQueue(deps)).rejects.toThrow(/no worker takes events from it/);
    expect(enqueued).toEqual([]);
  });

  it('says when Redis went away meanwhile', async () => {
    const { deps } = aFullQueue([null]);
    await expect(rebuildQueue(deps)).rejects.toThrow(/Redis went away/);
  });
});

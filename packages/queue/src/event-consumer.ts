import { createConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
import type { Producer } from './producer.ts';

export interface EventConsumerOptions extends Omit<ConsumerOptions<'match'>, 'name' | 'work'> {
  /** Maximum number of events in a batch. */
  maxEvents: number;
  /** Maximum number of concurrent batches. */
  concurrency: number;
  /** @param priority the common priority of all events of a batch. */
  work: (eventIds: string[], priority: number) => Promise<void>;
  /** Enqueues the waiting events again when the consumer is closed. */
  producer: Pick<Producer, 'enqueueEvents'>;
}

/** The batch of the first event is under way by then. */
const lingerMs = 5;

/**
 * Gathers the events of jobs into batches: the lowest priority first, and different priorities in different batches. A
 * job is complete as soon as the process has the events: PostgreSQL stores them, and the sweep enqueues the events of a
 * process that dies. A job waits while the next batch is full: an event of a lower priority that comes meanwhile
 * precedes the events of all further jobs.
 */
export function createEventConsumer(options: EventConsumerOptions): Consumer {
  const { maxEvents, concurrency, work, producer, onFailed, ...ofJobs } = options;
  /** Event ids whose batch has not begun, by priority. */
  const gathered = new Map<number, string[]>();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  const isFull = () => [...gathered.values()].reduce((sum, { length }) => sum + length, 0) >= maxEvents;

  function beginBatches(): void {
    while (!closing.signal.aborted && gathered.size > 0 && underWay.size < concurrency) {
      const lowest = Math.min(...gathered.keys());
      const eventIds = gathered.get(lowest) ?? [];
      const batch = eventIds.splice(0, maxEvents);
      if (eventIds.length === 0) gathered.delete(lowest);
      const working: Promise<void> = work(batch, lowest)
        .catch(onFailed)
        .finally(() => {
          underWay.delete(working);
          beginBatches();
        });
      underWay.add(working);
    }
  }

  const jobs = createConsumer({
    ...ofJobs,
    onFailed,
    name: 'match',
    lingerMs,
    async work({ eventIds }, priority) {
      const samePriority = gathered.get(priority);
      if (samePriority) samePriority.push(...eventIds);
      else gathered.set(priority, [...eventIds]);
      beginBatches();
      while (!closing.signal.aborted && isFull()) await Promise.race(underWay);
    },
  });
  return {
    isReady: () => jobs.isReady(),
    async close() {
      closing.abort();
      await jobs.close();
      await Promise.all(underWay);
      for (const [priority, eventIds] of gathered) producer.enqueueEvents(eventIds, priority);
      gathered.clear();
    },
  };
}

/** The queue of BullMQ, and the name of its jobs. Pending events have a queue of their own. */
export const jobQueue = 'deliver';

/** The data of a job: which webhooks have due callouts. It contains no data of PostgreSQL. */
export interface Job {
  webhookKeys: number[];
}

/** Whether data from Redis is a job: another program that can write there can put anything. */
export function isJob(data: unknown): data is Job {
  const list: unknown = (data as Record<string, unknown> | null)?.['webhookKeys'];
  return Array.isArray(list) && list.every(Number.isSafeInteger);
}

/**
 * The data of a job: which rows to look at. It contains no data of PostgreSQL. Pending events have a queue of their
 * own.
 */
export interface Jobs {
  /** These webhooks have due callouts. */
  deliver: { webhookKeys: number[] };
  /** There are due mails. */
  notify: Record<string, never>;
}

export type JobName = keyof Jobs;

export const jobNames = ['deliver', 'notify'] as const satisfies readonly JobName[];

/** Merges two jobs into one, with each row once. */
export const mergeJobs: { [Name in JobName]: (one: Jobs[Name], other: Jobs[Name]) => Jobs[Name] } = {
  deliver: (one, other) => ({ webhookKeys: [...new Set([...one.webhookKeys, ...other.webhookKeys])] }),
  notify: (one) => one,
};

/** How many rows a job names. */
export const rowsOf: { [Name in JobName]: (job: Jobs[Name]) => number } = {
  deliver: ({ webhookKeys }) => webhookKeys.length,
  notify: () => 0,
};

/** Whether data from Redis is a job of this name: another program that can write there can put anything. */
export const isJob: { [Name in JobName]: (data: unknown) => data is Jobs[Name] } = {
  deliver: (data): data is Jobs['deliver'] => {
    const list: unknown = (data as Record<string, unknown> | null)?.['webhookKeys'];
    return Array.isArray(list) && list.every(Number.isSafeInteger);
  },
  notify: (data): data is Jobs['notify'] => typeof data === 'object' && data !== null,
};

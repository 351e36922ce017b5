/** What a job says: which rows to look at. It never carries what PostgreSQL knows. */
export interface Jobs {
  /** These events are pending. */
  match: { eventIds: string[] };
  /** These webhooks have due callouts. */
  deliver: { webhookKeys: number[] };
  /** There are due mails. */
  notify: Record<string, never>;
}

export type JobName = keyof Jobs;

export const jobNames = ['match', 'deliver', 'notify'] as const satisfies readonly JobName[];

/** Two wake-up calls in one, each row named once. */
export const mergeJobs: { [Name in JobName]: (one: Jobs[Name], other: Jobs[Name]) => Jobs[Name] } = {
  match: (one, other) => ({ eventIds: [...one.eventIds, ...other.eventIds] }),
  deliver: (one, other) => ({ webhookKeys: [...new Set([...one.webhookKeys, ...other.webhookKeys])] }),
  notify: (one) => one,
};

/** How many rows a job names. */
export const rowsOf: { [Name in JobName]: (job: Jobs[Name]) => number } = {
  match: ({ eventIds }) => eventIds.length,
  deliver: ({ webhookKeys }) => webhookKeys.length,
  notify: () => 0,
};

/** Whether something that Redis gave is a job of this name: whoever can write there can put anything. */
export const isJob: { [Name in JobName]: (data: unknown) => data is Jobs[Name] } = {
  match: (data): data is Jobs['match'] => isListOf('eventIds', data, (id) => typeof id === 'string'),
  deliver: (data): data is Jobs['deliver'] => isListOf('webhookKeys', data, Number.isSafeInteger),
  notify: (data): data is Jobs['notify'] => typeof data === 'object' && data !== null,
};

function isListOf(name: string, data: unknown, isItem: (item: unknown) => boolean): boolean {
  const list: unknown = (data as Record<string, unknown> | null)?.[name];
  return Array.isArray(list) && list.every(isItem);
}

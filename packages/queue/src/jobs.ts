/** The data of a job: which rows to look at. It contains no data of PostgreSQL. */
export interface Jobs {
  /** These events are to be matched. */
  match: { eventIds: string[] };
  /** These webhooks have due callouts. */
  deliver: { webhookKeys: number[] };
}

export type JobName = keyof Jobs;

export const jobNames = ['match', 'deliver'] as const satisfies readonly JobName[];

/** Merges two jobs into one. Webhooks are named once; an event that is named twice is matched once. */
export const mergeJobs: { [Name in JobName]: (one: Jobs[Name], other: Jobs[Name]) => Jobs[Name] } = {
  match: (one, other) => ({ eventIds: [...one.eventIds, ...other.eventIds] }),
  deliver: (one, other) => ({ webhookKeys: [...new Set([...one.webhookKeys, ...other.webhookKeys])] }),
};

/** How many rows a job names. */
export const rowsOf: { [Name in JobName]: (job: Jobs[Name]) => number } = {
  match: ({ eventIds }) => eventIds.length,
  deliver: ({ webhookKeys }) => webhookKeys.length,
};

const eventId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

/** Whether data from Redis is a job of the name: another program that can write there can put anything. */
export const isJob: { [Name in JobName]: (data: unknown) => data is Jobs[Name] } = {
  match: (data): data is Jobs['match'] => isList(data, 'eventIds', (id) => typeof id === 'string' && eventId.test(id)),
  deliver: (data): data is Jobs['deliver'] => isList(data, 'webhookKeys', Number.isSafeInteger),
};

function isList(data: unknown, key: string, isItem: (item: unknown) => boolean): boolean {
  const list: unknown = (data as Record<string, unknown> | null)?.[key];
  return Array.isArray(list) && list.every(isItem);
}

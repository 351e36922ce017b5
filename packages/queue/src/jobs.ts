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

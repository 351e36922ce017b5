import type { RecordOfWebhook } from '@callout/domain/callout/claimed';

/** Callouts that this process has matched and that wait for an earlier one of their record. */
export interface Successors {
  add(records: readonly RecordOfWebhook[]): void;
  /** Whether a callout waited for the end of one of this record. Counts it as no longer waiting. */
  remove(record: RecordOfWebhook): boolean;
}

/** Maximum number of records. */
const maxRecords = 10_000;

/**
 * Counts the waiting callouts per record, so that the result of the callout before them is committed at once. A count
 * that is too low costs them some milliseconds; one that is too high costs a commit.
 */
export function createSuccessors(): Successors {
  const waiting = new Map<string, number>();
  return {
    add(records) {
      for (const record of records) {
        const name = nameOf(record);
        waiting.set(name, (waiting.get(name) ?? 0) + 1);
      }
      for (const oldest of waiting.keys()) {
        if (waiting.size <= maxRecords) break;
        waiting.delete(oldest);
      }
    },
    remove(record) {
      if (waiting.size === 0) return false;
      const name = nameOf(record);
      const count = waiting.get(name) ?? 0;
      if (count > 1) waiting.set(name, count - 1);
      else waiting.delete(name);
      return count > 0;
    },
  };
}

function nameOf({ webhookKey, recordId }: RecordOfWebhook): string {
  return `${webhookKey}/${recordId}`;
}

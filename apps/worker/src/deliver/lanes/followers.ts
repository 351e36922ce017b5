import type { RecordOfWebhook } from '@callout/core/match';

/** Callouts that this process has matched and that wait for an earlier one of their record. */
export interface Followers {
  add(records: readonly RecordOfWebhook[]): void;
  /** Whether one waited for the end of a callout of this record; from now on it is one fewer. */
  take(record: RecordOfWebhook): boolean;
}

/** Records kept at most. */
const mostKept = 10_000;

/**
 * Remembers which records have callouts that wait, so that the end of those before them is told to PostgreSQL at once. It
 * may know of too few, which costs them some milliseconds, or of too many, which costs a commit.
 */
export function createFollowers(): Followers {
  const waiting = new Map<string, number>();
  return {
    add(records) {
      for (const record of records) {
        const name = nameOf(record);
        waiting.set(name, (waiting.get(name) ?? 0) + 1);
      }
      for (const oldest of waiting.keys()) {
        if (waiting.size <= mostKept) break;
        waiting.delete(oldest);
      }
    },
    take(record) {
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

import { recordName, type RecordOfWebhook } from '@callout/domain/callout/claimed';

/** Maximum number of records. */
const maxRecords = 10_000;

/**
 * Counts waiting callouts by record, so that the result of the callout before them is committed at once. A count that
 * is too low costs a waiting callout some milliseconds; a count that is too high costs a commit.
 */
export class Successors {
  readonly #waiting = new Map<string, number>();

  add(records: readonly RecordOfWebhook[]): void {
    for (const record of records) {
      const name = recordName(record);
      this.#waiting.set(name, (this.#waiting.get(name) ?? 0) + 1);
    }
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= maxRecords) break;
      this.#waiting.delete(oldest);
    }
  }

  /** Whether a callout waited for the end of a callout of the record. Counts the waiting callout down. */
  remove(record: RecordOfWebhook): boolean {
    if (this.#waiting.size === 0) return false;
    const name = recordName(record);
    const count = this.#waiting.get(name) ?? 0;
    if (count > 1) this.#waiting.set(name, count - 1);
    else this.#waiting.delete(name);
    return count > 0;
  }
}

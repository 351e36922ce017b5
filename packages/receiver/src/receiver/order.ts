import type { Callout, FieldValues, Sends } from '../verify/callout.ts';
import { oldestRemover } from './remove-oldest.ts';

/**
 * Remembers, for each field of each record, the highest `SequenceNumber` with a value of the field. Several processes
 * must share one store, which does each step at once.
 */
export interface OrderStore {
  /**
   * Of a `Delete`: notes that the record is gone as of the number of the step. Of anything else: notes the number for
   * each field without a higher number, and returns these fields; an empty list when the record is gone as of a higher
   * number.
   */
  advance(step: OrderStep): readonly string[] | Promise<readonly string[]>;
}

export interface OrderStep {
  /** The webhook and the record: `<Guid>/<Id>`. */
  readonly record: string;
  readonly sequenceNumber: number;
  readonly isDelete: boolean;
  readonly fields: readonly string[];
}

/**
 * The fields of a callout whose values are the newest that came. Callouts of a record come in order, but a callout that
 * failed and is sent again later follows newer callouts: its fields still count where no newer callout brought them.
 */
export async function newestFields<Sent extends Sends>(
  callout: Callout<Sent>,
  store: OrderStore,
): Promise<FieldValues<Sent>> {
  const { payload } = callout as Callout;
  const newest = await store.advance({
    record: `${payload.Guid}/${payload.Id}`,
    sequenceNumber: payload.SequenceNumber,
    isDelete: payload.Action === 'Delete',
    fields: Object.keys(payload.Fields),
  });
  const entries = Object.entries(payload.Fields).filter(([field]) => newest.includes(field));
  return Object.fromEntries(entries) as FieldValues<Sent>;
}

export interface MemoryOrderStoreOptions {
  /** The records that no callout came for longest go first. Default 100,000. */
  readonly maxRecords?: number | undefined;
}

/** An {@link OrderStore} for a receiver with a single process: forgets everything when the process ends. */
export function createMemoryOrderStore({ maxRecords = 100_000 }: MemoryOrderStoreOptions = {}): OrderStore {
  const records = new Map<string, { deleted: number; fields: Map<string, number> }>();
  const removeOldest = oldestRemover(records);

  return {
    advance({ record, sequenceNumber, isDelete, fields }) {
      const entry = records.get(record) ?? { deleted: -1, fields: new Map<string, number>() };
      records.delete(record);
      records.set(record, entry);
      if (records.size > maxRecords) removeOldest();
      if (isDelete) {
        entry.deleted = Math.max(entry.deleted, sequenceNumber);
        return [];
      }
      if (entry.deleted > sequenceNumber) return [];
      const newest = fields.filter((field) => (entry.fields.get(field) ?? -1) <= sequenceNumber);
      for (const field of newest) entry.fields.set(field, sequenceNumber);
      return newest;
    },
  };
}

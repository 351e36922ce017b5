/**
 * Sees the row that a write changes, within the transaction and under the lock of the row. Called again when the
 * transaction is tried again.
 */
export interface RowWatch<Row> {
  /** Sees the row before the write; what it throws refuses the write. */
  readonly before?: (row: Row) => void;
  /** Sees the row after the write; not called for a deleted row. */
  readonly after?: (row: Row) => void;
}

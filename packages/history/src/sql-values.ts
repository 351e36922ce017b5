/** The values of a statement, collected while its text is written: input is a value, never text. */
export class SqlValues {
  readonly all: unknown[];

  /** @param first the values of a text that is already written. */
  constructor(first: readonly unknown[] = []) {
    this.all = [...first];
  }

  /** Adds a value. @returns its place in the text: `$1`, `$2`, … */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }

  /**
   * Writes a piece of text that may be dropped (undefined), together with its values, for each value must have a place.
   */
  try<T>(write: () => T | undefined): T | undefined {
    const before = this.all.length;
    const written = write();
    if (written === undefined) this.all.length = before;
    return written;
  }
}

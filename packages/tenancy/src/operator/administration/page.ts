/** A part of a list in order of id. */
export interface Page {
  /** The last id of the page before; 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

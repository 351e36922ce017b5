/** How far a window has come. */
export interface WindowUse {
  readonly used: number;
  /** Whole seconds until the window ends and counting starts over. */
  readonly endsInS: number;
}

/** Counts events of a key in windows of fixed length, each beginning with the first event. */
export interface WindowCounter {
  /** Counts one more, and returns the number. */
  add(key: string): Promise<WindowUse>;
  /** How many there are, without counting. */
  used(key: string): Promise<number>;
}

/** Makes a counter. `name` separates its keys from those of other counters. */
export type MakeCounter = (name: string, windowS: number) => WindowCounter;

/** How far a window has come. */
export interface WindowUse {
  readonly used: number;
  /** Whole seconds until the window ends and counting starts over. */
  readonly endsInS: number;
}

/** Counts what happens under a key in windows of fixed length, each beginning with the first that it counts. */
export interface WindowCounter {
  /** Counts one more, and says how many that makes. */
  add(key: string): Promise<WindowUse>;
  /** How many there are, without counting. */
  used(key: string): Promise<number>;
}

/** Makes a counter. `name` keeps its keys apart from those of other counters. */
export type MakeCounter = (name: string, windowS: number) => WindowCounter;

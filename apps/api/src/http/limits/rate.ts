import { Problem } from '@callout/domain/problem';
import { LRUCache } from 'lru-cache';

/** How far a window has come. */
export interface WindowUse {
  readonly used: number;
  /** Whole seconds until the window ends and counting starts over. */
  readonly endsInS: number;
}

/** Counts events of a key in windows of fixed length, each beginning with the first event. */
export interface WindowCounter {
  /** Counts an event of a key. */
  add(key: string): Promise<WindowUse>;
  /** How many there are, without counting. */
  used(key: string): Promise<number>;
}

/** Makes a counter. `name` separates the keys of two counters. */
export type MakeCounter = (name: string, windowS: number) => WindowCounter;

/** Counts an event of a key. Throws a Problem (429) when there were too many in this window. */
export type Rate = (key: number | string, most: number) => Promise<void>;

/** @param message of the refusal, in whole sentences. */
export function createRate(counter: WindowCounter, message: (most: number, endsInS: number) => string): Rate {
  return async (key, most) => {
    const { used, endsInS } = await counter.add(String(key));
    if (used > most) throw Problem.tooManyRequests(message(most, endsInS), endsInS);
  };
}

/** The most keys that a process counts at a time; with more, the key that was silent for longest is forgotten. */
const MOST_KEYS = 10_000;

interface OwnCounterOptions {
  readonly windowMs: number;
  readonly mostKeys?: number | undefined;
  /** Milliseconds of any steady clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * Counts in the process alone, in bounded memory and without timers. `RateLimiterMemory` has a timer for each key and
 * any number of keys (`check-token.test.ts`).
 */
export function createOwnCounter({ windowMs, mostKeys = MOST_KEYS, now = () => performance.now() }: OwnCounterOptions) {
  // Without resolution, ages are by `now` at each look.
  const windows = new LRUCache<string, { used: number }>({
    max: mostKeys,
    ttl: windowMs,
    perf: { now },
    ttlResolution: 0,
  });
  const useOf = (key: string): WindowUse => ({
    used: windows.get(key)?.used ?? 0,
    endsInS: Math.max(1, Math.ceil(windows.getRemainingTTL(key) / 1000)),
  });
  return {
    add(key: string): WindowUse {
      const window = windows.get(key);
      if (window === undefined) windows.set(key, { used: 1 });
      else window.used += 1;
      return useOf(key);
    },
    useOf,
    /** How many keys are counted. */
    size: () => windows.size,
  };
}

const ADDRESS_WINDOW_S = 60;
/** A client looks up a zone once, at the start; more requests in a minute are guesses at names. */
const REQUESTS_PER_ADDRESS = 60;

/** Counts a request from an address. Throws a Problem (429) when there were too many. */
export type AddressLimit = (address: string) => Promise<void>;

/** Limits endpoints without credentials that read the database. */
export function createAddressLimit(makeCounter: MakeCounter): AddressLimit {
  const rate = createRate(
    makeCounter('zone-lookups', ADDRESS_WINDOW_S),
    (_most, endsInS) => `Too many requests from this address. Try again in ${endsInS} s.`,
  );
  return (address) => rate(address, REQUESTS_PER_ADDRESS);
}

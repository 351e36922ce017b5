import { Problem } from '@callout/domain/problem/problem';
import type { WindowCounter } from './window-counter.ts';

/** Counts a request from an address. Throws a `Problem` (429) when there were too many. */
export type AddressLimit = (address: string) => Promise<void>;

export const ADDRESS_WINDOW_S = 60;
/** A client looks up its zone once when it starts; more requests in a minute are guesses at names. */
const REQUESTS_PER_WINDOW = 60;

/** Limits endpoints that need no credentials and read the database. */
export function createAddressLimit(counter: WindowCounter): AddressLimit {
  return async (address) => {
    const { used, endsInS } = await counter.add(address);
    if (used <= REQUESTS_PER_WINDOW) return;
    throw Problem.tooManyRequests(`Too many requests from this address. Try again in ${endsInS} s.`, endsInS);
  };
}

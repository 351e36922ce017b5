import { Problem } from '@callout/domain/problem/problem';
import type { WindowCounter } from '../../http/limits/window-counter.ts';

/** Counts a redelivery of a range. Throws a Problem 429 when the tenant has used up its hour. */
export type RedeliveryLimit = (tenantId: number) => Promise<void>;

export const REDELIVERY_WINDOW_S = 3_600;

/** Limits redeliveries of ranges per tenant and hour: one request may send a million callouts again. 0: no limit. */
export function createRedeliveryLimit(counter: WindowCounter, perHour: number): RedeliveryLimit {
  return async (tenantId) => {
    if (perHour === 0) return;
    const { used, endsInS } = await counter.add(String(tenantId));
    if (used <= perHour) return;
    throw Problem.tooManyRequests(
      `The redelivery limit of this tenant, ${perHour} ranges per hour, is used up. Try again in ${endsInS} s, or name more callouts at once.`,
      endsInS,
    );
  };
}

import { Problem } from '@callout/core/errors';

/** The room that one request takes until it is answered. */
export interface Room {
  /** Takes more room. Throws a Problem when there is none: 503, or 429 when it is the tenant that has all it may. */
  take(amount: number): void;
  /** Whether that much more would find room now. Throws as `take` does, and takes nothing. */
  expect(amount: number): void;
  /** Takes more room, also where there is none: for what cannot be refused any more. */
  hold(amount: number): void;
  /** Gives back a part of it, all at most. */
  give(amount: number): void;
  /** How much is in use of what its tenant can have, by itself or by everybody: 0 to 1, and above by what is held. */
  fill(): number;
  /** Gives back all of it. */
  leave(): void;
}

/** Bounds what all requests hold in this process at a time, whatever their number and size. */
export interface TenantBudget {
  enter(tenantId: number): Room;
}

interface BudgetOptions {
  /** What is said with a 503, in whole sentences: others have the room. */
  readonly unavailable: string;
  /** The same with a 429: its own tenant has half of it. */
  readonly tooManyRequests: string;
  /** Room beside that of all, for requests that take `most` at most: large ones, however many, keep none of them out. */
  readonly small?: { readonly most: number; readonly room: number };
}

const RETRY_AFTER_S = 1;
/** One tenant that sends all it can leaves room for others. */
const SHARE_OF_TENANT = 0.5;

/**
 * What is held counts from its beginning until its request is answered: parsed values and events that wait for their
 * commit are larger than the body, by a factor that does not depend on who sends it. A request that is alone always finds
 * room.
 * @param max of all requests together.
 */
export function createTenantBudget(max: number, { small, ...refusals }: BudgetOptions): TenantBudget {
  let used = 0;
  const usedBy = new Map<number, number>();

  function check(tenantId: number, own: number, amount: number): void {
    const most = small !== undefined && own + amount <= small.most ? max + small.room : max;
    if (used + amount > most && used > own) throw Problem.unavailable(refusals.unavailable, RETRY_AFTER_S);
    const byTenant = usedBy.get(tenantId) ?? 0;
    if (byTenant + amount > most * SHARE_OF_TENANT && byTenant > own) {
      throw Problem.tooManyRequests(refusals.tooManyRequests, RETRY_AFTER_S);
    }
  }

  function add(tenantId: number, amount: number): void {
    used += amount;
    const byTenant = (usedBy.get(tenantId) ?? 0) + amount;
    if (byTenant === 0) usedBy.delete(tenantId);
    else usedBy.set(tenantId, byTenant);
  }

  return {
    enter(tenantId) {
      let own = 0;
      const change = (amount: number) => {
        own += amount;
        add(tenantId, amount);
      };
      return {
        expect: (amount) => check(tenantId, own, amount),
        take(amount) {
          check(tenantId, own, amount);
          change(amount);
        },
        hold: change,
        give: (amount) => change(-Math.min(amount, own)),
        fill: () => Math.max(used, (usedBy.get(tenantId) ?? 0) / SHARE_OF_TENANT) / max,
        leave: () => change(-own),
      };
    },
  };
}

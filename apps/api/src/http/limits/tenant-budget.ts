import { Problem } from '@callout/core/errors';
import { createSharedRoom } from './shared-room.ts';

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
  /** How much is in use of what its tenant can have, by itself or by all: 0 to 1, and more with what is held beyond it. */
  fill(): number;
  /** Gives back all of it. */
  leave(): void;
}

/** Whose room it is: a tenant, or the address of a caller that has not signed in. */
type Holder = number | string;

/** Bounds what all requests hold in this process at a time, whatever their number and size. */
export interface TenantBudget<H extends Holder = number> {
  enter(holder: H): Room;
}

interface BudgetOptions {
  /** What is said with a 503, in whole sentences: others have the room. */
  readonly unavailable: string;
  /** The same with a 429: its own tenant has its share of it. */
  readonly tooManyRequests: string;
  /** Room beside that of all, for requests that take `most` at most: large ones, however many, keep none of them out. */
  readonly small?: { readonly most: number; readonly room: number };
}

const RETRY_AFTER_S = 1;

/**
 * What is held counts from its beginning until its request is answered: parsed values and events that wait for their
 * commit are larger than the body, by a factor that does not depend on who sends it. A request that is alone always finds
 * room. How tenants share the room: see `createSharedRoom`; small requests that find none in the room of all share the one
 * beside it by the same rule.
 * @param max of all requests together.
 */
export function createTenantBudget<H extends Holder = number>(
  max: number,
  { small, ...refusals }: BudgetOptions,
): TenantBudget<H> {
  const common = createSharedRoom<H>(max);
  const beside = createSharedRoom<H>(small?.room ?? 0);
  const mostSmall = small?.most ?? 0;

  function refuse(refusal: 'full' | 'share'): never {
    if (refusal === 'full') throw Problem.unavailable(refusals.unavailable, RETRY_AFTER_S);
    throw Problem.tooManyRequests(refusals.tooManyRequests, RETRY_AFTER_S);
  }

  return {
    enter(holder) {
      let own = 0;
      /** A request is in one of the two as a whole. */
      let within = common;

      /** Where a request finds room that has taken `amount` more. */
      function roomFor(amount: number): typeof common {
        const after = own + amount;
        const refusal = common.refusal(holder, within === common ? own : 0, after);
        if (refusal === undefined) return common;
        if (after > mostSmall) return refuse(refusal);
        const refusalBeside = beside.refusal(holder, within === beside ? own : 0, after);
        return refusalBeside === undefined ? beside : refuse(refusalBeside);
      }

      function change(amount: number, to = within): void {
        within.add(holder, -own);
        own += amount;
        within = to;
        within.add(holder, own);
      }

      return {
        expect: (amount) => void roomFor(amount),
        take: (amount) => change(amount, roomFor(amount)),
        hold: (amount) => change(amount),
        give: (amount) => change(-Math.min(amount, own)),
        fill: () => common.fill(holder),
        leave: () => change(-own),
      };
    },
  };
}

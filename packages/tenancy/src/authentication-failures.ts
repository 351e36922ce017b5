import { userNameHash } from '@callout/domain/secrets/user-name-hash';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';

/** The user name and the address of an authentication. */
export interface AuthenticationAttempt {
  /** The user name in lower case, known or not. */
  readonly foldedUserName: string;
  /** An IPv4 address, or the network of an IPv6 address. */
  readonly address: string;
}

/** The result of failures that were counted together. */
export interface CountedFailures {
  /** For each failure, in order: whether the user name was locked out before, and the failure not counted. */
  wasLockedOut: readonly boolean[];
  /** The user names that are locked out from now on, and from where. */
  newlyLockedOut: readonly AuthenticationAttempt[];
}

/**
 * Ten failures of a user name from one address in 15 minutes lock the pair for 15 minutes, whether the name exists or
 * not.
 */
const FAILURES_TO_LOCK = 10;
export const LOCKOUT_S = 900;

/** Old rows that are removed with each batch: more than a batch adds, so expired rows never pile up. */
const REMOVED_PER_BATCH = 1_000;

// A locked pair is left alone: failures during a lockout neither count nor make the lockout longer. In one order, so
// two processes that count the same pairs cannot deadlock.
const count = statementFrom<{ userNameHash: Buffer; address: string; failures: number; isLocked: boolean }>(
  'tenancy:sign_in_failures_count',
);

const removeOld = statementFrom('tenancy:sign_in_failures_remove_old');

/**
 * Counts failed authentications, also several of a pair, and removes rows that no longer count. Processes that count
 * failures of the same pair at the same time wait for each other: no failure is lost.
 */
export async function countAuthenticationFailures(
  client: Client,
  failures: readonly AuthenticationAttempt[],
): Promise<CountedFailures> {
  const pairs = new Map<string, Pair>();
  for (const signIn of failures) {
    const pair: Pair = { signIn, hash: userNameHash(signIn.foldedUserName), given: 0 };
    const name = nameOf(pair.hash, signIn.address);
    const counted = pairs.get(name) ?? pair;
    pairs.set(name, counted);
    counted.given += 1;
  }
  const batch = [...pairs.values()];
  const rows = await count(client, [
    batch.map((pair) => pair.hash),
    batch.map((pair) => pair.signIn.address),
    batch.map(countable),
    FAILURES_TO_LOCK,
    LOCKOUT_S,
  ]);
  await removeOld(client, [REMOVED_PER_BATCH]);
  /** How many more of each pair were counted before it was locked. */
  const countedLeft = new Map<string, number>();
  const newlyLockedOut: AuthenticationAttempt[] = [];
  for (const row of rows) {
    const name = nameOf(row.userNameHash, row.address);
    const pair = pairs.get(name);
    if (pair === undefined) continue;
    countedLeft.set(name, FAILURES_TO_LOCK - (row.failures - countable(pair)));
    if (row.isLocked) newlyLockedOut.push(pair.signIn);
  }
  const wasLockedOut = failures.map(({ foldedUserName, address }) => {
    const name = nameOf(userNameHash(foldedUserName), address);
    const remaining = countedLeft.get(name) ?? 0;
    countedLeft.set(name, remaining - 1);
    return remaining <= 0;
  });
  return { wasLockedOut, newlyLockedOut };
}

interface Pair {
  readonly signIn: AuthenticationAttempt;
  readonly hash: Buffer;
  given: number;
}

/** More than a lockout needs would only make the row wider. */
function countable(pair: Pair): number {
  return Math.min(pair.given, FAILURES_TO_LOCK);
}

function nameOf(hash: Buffer, address: string): string {
  return `${hash.toString('hex')} ${address}`;
}

import type { Pool } from 'pg';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import type { Client } from '@callout/database/connection/database';
import { statementFrom, type Statement } from '@callout/database/connection/statement/statement';
import { lowestIdAt } from '@callout/database/schema/ids';
import { oneAtATime } from '@callout/database/connection/locks/one-at-a-time';
import { dayMs } from '@callout/database/schema/partitions';

/** The number of deleted rows of each kind. */
export type Leftovers = Readonly<
  Record<
    | 'calls'
    | 'changes'
    | 'keys'
    | 'mails'
    | 'mergeable'
    | 'pauses'
    | 'pulls'
    | 'seconds'
    | 'secrets'
    | 'sessions'
    | 'tokens',
    number
  >
>;

export interface LeftoverRules {
  /** Days for which sent mails and pauses of webhooks are kept: as long as callouts; 0: for ever. */
  keepDays: number;
  /** Days for which changes of configuration are kept; 0: for ever. */
  keepChangesDays: number;
  now: Date;
  /** Checked between two batches. */
  isStopping: () => boolean;
}

const deleteChanges = statementFrom('sweep/leftovers_changes');
const deleteEventKeys = statementFrom('sweep/leftovers_event_keys');
const deleteIdempotencyKeys = statementFrom('sweep/leftovers_idempotency_keys');
const deleteLimitedCalls = statementFrom('sweep/leftovers_calls');
const deleteLinks = statementFrom('sweep/leftovers_console_links');
const deleteMails = statementFrom('sweep/leftovers_mails');
const deleteMergeable = statementFrom('sweep/leftovers_mergeable');
const deletePauses = statementFrom('sweep/leftovers_pauses');
const deletePulls = statementFrom('sweep/leftovers_pulls');
const deleteSeconds = statementFrom('sweep/leftovers_seconds');
const deleteSecrets = statementFrom('sweep/leftovers_secrets');
const deleteSessions = statementFrom('sweep/leftovers_console_sessions');
const deleteTokens = statementFrom('sweep/leftovers_tokens');

/** Settings for statements that search for old rows, and not for rows by ids. */
const planning = { plan_cache_mode: 'force_custom_plan', enable_bitmapscan: 'on', enable_seqscan: 'on' };
const rowsPerBatch = 5_000;

/**
 * Deletes old rows of the small tables that have no partitions, some thousand rows in a transaction: keys of events
 * and requests older than 24 hours, calls under way of workers that died, mails that were sent or have failed, changes of
 * configuration, pauses of webhooks, counts of the threshold for tenants that have been quiet since, leases of fetched
 * callouts that ended a day ago, the secrets of deleted webhooks that have nothing more to sign, what callouts carry that
 * were cancelled before the first attempt, expired sessions of the console and links to begin a session, and expired
 * tokens of receivers.
 * @returns null when another process is deleting leftovers.
 */
export async function deleteLeftovers(pool: Pool, rules: LeftoverRules): Promise<Leftovers | null> {
  return oneAtATime(pool, { lock: advisoryLocks.deleteLeftovers, settings: planning }, (client) =>
    deleteAll(client, rules),
  );
}

async function deleteAll(
  client: Client,
  { keepDays, keepChangesDays, now, isStopping }: LeftoverRules,
): Promise<Leftovers> {
  const before = new Date(now.getTime() - keepDays * dayMs);
  const changesBefore = new Date(now.getTime() - keepChangesDays * dayMs);
  const run = async (deleteSome: Statement<object>, ...values: unknown[]): Promise<number> => {
    for (let total = 0; ;) {
      const removed = (await deleteSome(client, [rowsPerBatch, ...values])).length;
      total += removed;
      if (removed < rowsPerBatch || isStopping()) return total;
    }
  };
  return {
    calls: await run(deleteLimitedCalls),
    changes: keepChangesDays === 0 ? 0 : await run(deleteChanges, changesBefore, lowestIdAt(changesBefore)),
    keys: (await run(deleteEventKeys)) + (await run(deleteIdempotencyKeys)),
    mails: keepDays === 0 ? 0 : await run(deleteMails, before),
    mergeable: await run(deleteMergeable),
    pauses: keepDays === 0 ? 0 : await run(deletePauses, before, lowestIdAt(before)),
    pulls: await run(deletePulls, lowestIdAt(new Date(now.getTime() - dayMs))),
    seconds: await run(deleteSeconds),
    secrets: await run(deleteSecrets),
    sessions: (await run(deleteSessions)) + (await run(deleteLinks)),
    tokens: await run(deleteTokens),
  };
}

import type { Pool } from 'pg';
import { advisoryLocks } from '@callout/database/connection/locks/advisory-locks';
import type { Client } from '@callout/database/connection/database';
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
  const run = async (text: string, ...values: unknown[]): Promise<number> => {
    for (let total = 0; ;) {
      const removed = (await client.query(text, [rowsPerBatch, ...values])).rowCount ?? 0;
      total += removed;
      if (removed < rowsPerBatch || isStopping()) return total;
    }
  };
  return {
    calls: await run(deleteLimitedCalls),
    changes: keepChangesDays === 0 ? 0 : await run(deleteChanges, changesBefore, lowestIdAt(changesBefore)),
    keys:
      (await run(deleteKeys('event_keys', 'accepted_at'))) + (await run(deleteKeys('idempotency_keys', 'created_at'))),
    mails: keepDays === 0 ? 0 : await run(deleteMails, before),
    mergeable: await run(deleteMergeable),
    pauses: keepDays === 0 ? 0 : await run(deletePauses, before, lowestIdAt(before)),
    pulls: await run(deletePulls, lowestIdAt(new Date(now.getTime() - dayMs))),
    seconds: await run(deleteSeconds),
    secrets: await run(deleteSecrets),
    sessions: (await run(deleteOver('console_sessions'))) + (await run(deleteOver('console_links'))),
    tokens: await run(deleteTokens),
  };
}

// Expired keys count as absent anyway. A row that a request is reusing at the moment is locked, and skipped.
const deleteKeys = (table: 'event_keys' | 'idempotency_keys', column: 'accepted_at' | 'created_at') =>
  `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${table} WHERE ${column} <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))`;

// The secrets of a deleted webhook sign the deactivation call, and nothing needs the secrets afterwards: a deleted webhook
// without an open call never has a call again. An empty key id means that the secret is removed. Locked rows wait for the
// next round. Long values go with the secrets: the row stays for ever, and a tenant may delete any number of webhooks.
const deleteSecrets = `WITH done AS (
    SELECT w.key FROM webhooks w
    WHERE w.deleted_at IS NOT NULL AND w.secret_key_id <> ''
      AND NOT EXISTS (SELECT FROM open_callouts o WHERE o.webhook_key = w.key)
    ORDER BY w.key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
  )
  UPDATE webhooks w SET secret_key_id = '', secret_nonce = '', secret_ciphertext = '', previous_secret_key_id = NULL,
    previous_secret_nonce = NULL, previous_secret_ciphertext = NULL, previous_secret_until = NULL,
    receiver_key_id = NULL, receiver_nonce = NULL, receiver_ciphertext = NULL, certificate_expires_at = NULL,
    receiver_auth = '{"kind":"none"}', ca_certificate = NULL, condition = NULL
  FROM done WHERE w.key = done.key`;

const deleteMails = `DELETE FROM notifications WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM notifications WHERE state IN ('sent', 'refused', 'failed', 'covered') AND due_at < $2 AND created_at < $2
  LIMIT $1 FOR UPDATE SKIP LOCKED))`;

// By position: a row that a match writes at the moment has another position.
const deleteMergeable = `DELETE FROM mergeable_callouts WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM mergeable_callouts m WHERE NOT EXISTS (SELECT FROM open_callouts WHERE callout_id = m.callout_id)
  LIMIT $1))`;

// Ids rise with time, and pauses have an index: all further changes are kept for longer.
export const deletePauses = `DELETE FROM changes WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM changes WHERE action IN ('paused', 'resumed') AND at < $2 AND id < $3 LIMIT $1))`;

// Why a webhook is inactive is shown as long as the webhook is inactive.
const deleteChanges = `DELETE FROM changes WHERE ctid = ANY(ARRAY(
  SELECT c.ctid FROM changes c WHERE c.at < $2 AND c.id < $3 AND NOT (c.action = 'deactivated' AND EXISTS (
    SELECT FROM webhooks w WHERE w.key = c.webhook_key AND NOT w.is_active AND w.deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM changes later WHERE later.webhook_key = w.key AND later.id > c.id AND later.action = 'deactivated')))
  ORDER BY c.id LIMIT $1))`;

// Of workers that died: another worker has made the call, with a row of another lease, or the callout was cancelled.
const deleteLimitedCalls = `DELETE FROM limited_calls WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM limited_calls WHERE lease_until < now() - interval '1 hour' LIMIT $1))`;

// No token is used for more than a day, so tokens of webhooks that need no token any more go within a day.
const deleteTokens = `DELETE FROM receiver_tokens WHERE webhook_key = ANY(ARRAY(
  SELECT webhook_key FROM receiver_tokens WHERE usable_until <= now() AND coalesce(fetching_until <= now(), true)
  LIMIT $1 FOR UPDATE SKIP LOCKED))`;

// The result of a callout that was fetched is also in the delivery log.
const deletePulls = `DELETE FROM pull_leases WHERE id = ANY(ARRAY(
  SELECT id FROM pull_leases WHERE id < $2 AND outcome IS NOT NULL ORDER BY id LIMIT $1))`;

const deleteOver = (table: 'console_sessions' | 'console_links') =>
  `DELETE FROM ${table} WHERE token_hash = ANY(ARRAY(SELECT token_hash FROM ${table} WHERE expires_at < now() LIMIT $1))`;

// A claim for a tenant and entity drops seconds older than the hour; the statement is for tenants without claims, which
// are far from the threshold or have nothing to send. Rows that a claim has locked at the moment are skipped.
const deleteSeconds = `WITH quiet AS MATERIALIZED (
    SELECT w.tenant_id, w.entity_type FROM threshold_windows w WHERE EXISTS (
      SELECT FROM threshold_use u WHERE (u.tenant_id, u.entity_type) = (w.tenant_id, w.entity_type)
        AND u.second < now() - interval '2 hours')
    FOR UPDATE SKIP LOCKED
  ), past AS MATERIALIZED (
    SELECT u.ctid AS at FROM quiet, LATERAL (
      SELECT ctid FROM threshold_use u WHERE (u.tenant_id, u.entity_type) = (quiet.tenant_id, quiet.entity_type)
        AND u.second < now() - interval '2 hours' FOR UPDATE SKIP LOCKED
    ) AS u LIMIT $1
  ), dropped AS (
    DELETE FROM threshold_use WHERE ctid = ANY(ARRAY(SELECT at FROM past)) RETURNING tenant_id, entity_type, used
  ), leaving AS (
    SELECT tenant_id, entity_type, sum(used)::int AS used FROM dropped GROUP BY tenant_id, entity_type
  ), counted AS (
    UPDATE threshold_windows w SET used = w.used - l.used FROM leaving l
    WHERE (w.tenant_id, w.entity_type) = (l.tenant_id, l.entity_type)
  )
  SELECT FROM dropped`;

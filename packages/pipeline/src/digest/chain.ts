import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { continueChain, lastNumberOf, type NextCallout } from './chain.rules.ts';
import { chainStart } from '@callout/domain/callout/chain';
import type { Transaction, Client } from '@callout/database/connection/database';
import { partsByBodies, readBodies } from '../payload/callout-bodies.ts';

/** Numbers that are chained in one transaction, and the most that one row of `chain_parts` has. */
const numbersPerPart = 500;

// A tenant that is moved is served elsewhere, and its chains are continued there.
const find = statement<{ webhookKey: number }>(
  'digest_find_chains',
  `SELECT c.webhook_key AS "webhookKey" FROM webhook_chains c JOIN webhooks w ON w.key = c.webhook_key
   WHERE c.webhook_key > $1 AND w.last_sequence > c.last_number AND w.deleted_at IS NULL
     AND (SELECT state FROM tenants WHERE id = w.tenant_id) = 'active'
   ORDER BY c.webhook_key LIMIT $2`,
);

/** Webhooks, by their keys in order, whose chains have not reached their last callout. */
export async function chainsToContinue(pool: Pool, afterKey: number, atMost: number): Promise<number[]> {
  return (await find(pool, [afterKey, atMost])).map(({ webhookKey }) => webhookKey);
}

interface LockedChain {
  tenantId: number;
  lastNumber: number;
  lastValue: Buffer;
  /** Of the last part, if it ends where the chain does; null: there is none. */
  partNumber: number | null;
}

const lock = statement<LockedChain>(
  'digest_lock_chain',
  `SELECT c.tenant_id AS "tenantId", c.last_number AS "lastNumber", c.last_value AS "lastValue",
     (SELECT p.first_number FROM chain_parts p WHERE p.webhook_key = c.webhook_key AND p.last_number = c.last_number
      ORDER BY p.first_number DESC LIMIT 1) AS "partNumber"
   FROM webhook_chains c WHERE c.webhook_key = $1
     AND (SELECT state FROM tenants WHERE id = c.tenant_id) = 'active' FOR UPDATE OF c SKIP LOCKED`,
  'webhook_chains',
);

// The values of a part that exists already are continued: all but the first, which is its last one.
const store = statement(
  'digest_store_values',
  `WITH chain AS (
     UPDATE webhook_chains SET last_number = $3, last_value = $4 WHERE webhook_key = $1
   )
   INSERT INTO chain_parts AS p (webhook_key, tenant_id, last_number, first_number, chain_values)
   VALUES ($1, $2, $3, $5, $6)
   ON CONFLICT (webhook_key, first_number) DO UPDATE SET last_number = EXCLUDED.last_number, updated_at = now(),
     chain_values = p.chain_values || substring(EXCLUDED.chain_values FROM 33)`,
);

/**
 * Continues the chain of a webhook by up to 500 callouts, in one transaction. The lock of its row, which a second process
 * skips, is what keeps every number in the chain once; a process that dies leaves the chain as it was.
 * @returns how many callouts were added; 0 also when another process is continuing it.
 */
export async function continueChainOf(pool: Pool, webhookKey: number): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const [chain] = await lock(transaction, [webhookKey]);
    if (chain === undefined) return 0;
    const { tenantId, lastNumber, partNumber } = chain;
    const callouts = await readNextCallouts(transaction, webhookKey, lastNumber, numbersPerPart);
    const piece = continueChain({ number: lastNumber, value: chain.lastValue.toString('hex') }, callouts);
    const last = lastNumberOf(piece);
    const added = piece.values.length - 1;
    if (added === 0) return 0;
    const continuesPart =
      partNumber !== null && piece.firstNumber === lastNumber + 1 && last - partNumber < numbersPerPart;
    const values = Buffer.from(piece.values.join(''), 'hex');
    await store(transaction, [
      webhookKey,
      tenantId,
      last,
      values.subarray(-32),
      continuesPart ? partNumber : piece.firstNumber,
      values,
    ]);
    return added;
  });
}

const begin = statement(
  'digest_begin_chain',
  `INSERT INTO webhook_chains AS c (webhook_key, tenant_id, last_number, last_value, digest_number, next_digest_at)
   SELECT key, tenant_id, last_sequence, $3, last_sequence, date_trunc($2, now(), 'UTC') + ('1 ' || $2)::interval
   FROM webhooks WHERE key = $1
   ON CONFLICT (webhook_key) DO UPDATE SET next_digest_at = EXCLUDED.next_digest_at`,
  'webhook_chains',
);

const end = statement('digest_end_chain', 'DELETE FROM webhook_chains WHERE webhook_key = $1', 'webhook_chains');

const dropParts = statement('digest_drop_parts', 'DELETE FROM chain_parts WHERE webhook_key = $1');

/**
 * Begins or ends the chain of a webhook, when its `digestEvery` is set. A new chain begins with the next callout, and the
 * first digest is due at the end of the present hour or day (UTC). The transaction must hold the webhook's row.
 */
export async function setDigestPeriod(transaction: Transaction, webhookKey: number, period: string): Promise<void> {
  if (period !== 'none') {
    await begin(transaction, [webhookKey, period, Buffer.from(chainStart, 'hex')]);
    return;
  }
  await end(transaction, [webhookKey]);
  // Sees the part that another process has stored under the lock of the chain.
  await dropParts(transaction, [webhookKey]);
}

type Row = Omit<NextCallout, 'body'>;

const read = statement<Row>(
  'digest_read_callouts',
  `SELECT id, sequence_number AS "sequenceNumber", state <> 'open' OR NOT EXISTS (
     SELECT FROM mergeable_callouts m
     WHERE m.webhook_key = c.webhook_key AND m.record_id = c.record_id AND m.callout_id = c.id
   ) AS "isFinal" FROM callouts c
   WHERE webhook_key = $1 AND sequence_number > $2 ORDER BY sequence_number LIMIT $3`,
);

/**
 * The callouts of a webhook after a number, with their bodies: fewer if those are long.
 * @throws Error when a body is missing whose callout is stored: events are kept longer than callouts.
 */
export async function readNextCallouts(
  client: Client,
  webhookKey: number,
  after: number,
  atMost: number,
): Promise<NextCallout[]> {
  const found = await read(client, [webhookKey, after, atMost]);
  const [rows = []] = await partsByBodies(client, found, ({ id }) => [id]);
  const bodies = await readBodies(
    client,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const body = bodies.get(row.id);
    if (body === undefined) throw new Error(`the body of callout ${row.id} is missing`);
    return { ...row, body };
  });
}

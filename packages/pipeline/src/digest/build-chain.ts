import type { Pool } from 'pg';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { statement } from '@callout/database/connection/statement/statement';
import { continueChain, lastNumberOf } from './chain.rules.ts';
import { readNextCallouts } from './next-callouts.ts';

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

import type { Transaction } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { lowestId, timeOfId } from '@callout/database/schema/id-time';

/** Callouts of a webhook that used up their attempts. */
export interface GivenUp {
  /** Counted up to ten thousand. */
  readonly givenUp: number;
  /** When the oldest of them was made; null when there are none. */
  readonly givenUpSince: Date | null;
}

// The last attempts of failed callouts have their own index. Ids of attempts come from the clocks of workers, so an
// extra hour is read and the times of the callouts decide. Redelivered callouts are not failed any more.
const count = statement<{ count: number; firstId: string | null }>(
  'given_up_count',
  `SELECT count(*), min(id::text) AS "firstId" FROM (
     SELECT DISTINCT a.callout_id AS id FROM attempts a,
       LATERAL (SELECT state, kind, finished_at FROM callouts WHERE id = a.callout_id OFFSET 0) AS c
     WHERE a.webhook_key = $1 AND a.id >= $2 AND a.next_attempt_at IS NULL
       AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)
       AND c.state = 'failed' AND c.kind = 'event' AND c.finished_at >= $3
     LIMIT 10000
   ) AS given_up`,
);

const clockSlackMs = 3_600_000;
/** A transaction begins before it stores since when a webhook has been failing, and may itself give a callout up. */
const settleMs = 60_000;

/** The callouts that a webhook has given up since it began to fail and that can still be redelivered. */
export async function readGivenUp(transaction: Transaction, webhookKey: number, since: Date): Promise<GivenUp> {
  const before = (ms: number): Date => new Date(since.getTime() - ms);
  const [row] = await count(transaction, [webhookKey, lowestId(before(clockSlackMs)), before(settleMs)]);
  const firstId = row?.firstId ?? null;
  return { givenUp: row?.count ?? 0, givenUpSince: firstId === null ? null : timeOfId(firstId) };
}

import type { Pool } from 'pg';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { lowestIdAt } from '@callout/database/schema/ids';
import { storeOccurrences } from '../health/occurrences.ts';
import { readClock } from './pull-leases.ts';

const begin = statementFrom<{ webhookKey: number }>('pull/unfetched_begin');

const end = statementFrom<{ webhookKey: number }>('pull/unfetched_end');

/** Ids of leases come from the clocks of API processes. */
const clockSlackMs = 600_000;

/**
 * Marks the health of webhooks whose callouts are not fetched: a callout has been due for `afterMs`, and no program has
 * fetched any meanwhile. From then on the webhook is failing, like a webhook whose receiver fails; an acknowledgement ends
 * the failing, as any success does. Nothing is written while callouts are fetched.
 */
export async function markUnfetchedWebhooks(pool: Pool, afterMs: number): Promise<void> {
  const [clock] = await readClock(pool, [afterMs + clockSlackMs]);
  if (clock === undefined) return;
  await begin(pool, [afterMs, lowestIdAt(clock.before)]);
  await inTransaction(pool, async (transaction) => {
    const over = await end(transaction, []);
    await storeOccurrences(
      transaction,
      over.map(({ webhookKey }) => ({ webhookKey, occurrence: 'recovered', subject: 'delivery', facts: {} })),
    );
  });
}

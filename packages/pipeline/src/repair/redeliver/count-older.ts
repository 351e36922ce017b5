import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { idNear } from '@callout/database/schema/id-time';
import { countOlder, type OrderedCallout } from './redelivery-order.rules.ts';

/** Callouts with higher numbers have later ids, by clocks that differ by less than this. */
const clockSlackMs = 3_600_000;

// Each record by the index of its callouts, and once, however many of its callouts are redelivered.
const findDelivered = statement<{ recordId: number; delivered: number | null }>(
  'repair_find_delivered',
  `SELECT r.record_id AS "recordId", (
     SELECT max(c.sequence_number) FROM callouts c
     WHERE c.webhook_key = $1 AND c.record_id = r.record_id AND c.state = 'delivered' AND c.kind = 'event' AND c.id >= $3
   ) AS delivered FROM unnest($2::bigint[]) AS r (record_id)`,
);

/** A callout that was picked to be redelivered. */
export interface PickedCallout extends OrderedCallout {
  readonly id: string;
  /** Only callouts of events are about a record. */
  readonly kind: string;
}

/** How many of some callouts of a webhook are older than a callout of their record that was delivered. */
export async function countOlderOf(
  client: Client,
  webhookKey: number,
  picked: readonly PickedCallout[],
): Promise<number> {
  const callouts = picked.filter(({ kind }) => kind === 'event');
  const [oldest] = callouts.map(({ id }) => id).toSorted();
  if (oldest === undefined) return 0;
  const recordIds = [...new Set(callouts.map(({ recordId }) => recordId))];
  const found = await findDelivered(client, [webhookKey, recordIds, idNear(oldest, -clockSlackMs)]);
  const delivered = found.flatMap(({ recordId, delivered: last }) =>
    last === null ? [] : [[recordId, last] as const],
  );
  return countOlder(callouts, new Map(delivered));
}

import { Problem } from '@callout/domain/problem';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { redeliverableStates } from '@callout/domain/callout/callout-states';
import { statement, statementFrom } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { lastFailedReasonSql } from './failed-reason-sql.ts';
import { findCallout, type CalloutAddress, idBounds, lockActiveWebhook, type RepairDeps } from './repairs.ts';
import { reopenCallouts } from './reopen-callouts.ts';
import { sumOfRedeliveries, type Redelivery, countOlder, type OrderedCallout } from './redelivery-order.rules.ts';
import type { Client } from '@callout/database/connection/database';
import { idNear } from '@callout/database/schema/ids';

const CALLOUTS_PER_TRANSACTION = 1_000;
/** Reading so many numbers takes milliseconds, however few are selected. */
const NUMBERS_PER_LOOK = 20_000;

const findKeptNumbers = statementFrom<{ first: number | null; last: number | null }>('repair/repair_find_kept_numbers');

const columnsOfPicked = 'id, kind, record_id AS "recordId", sequence_number AS "sequenceNumber"';

const pick = statement<PickedCallout>(
  'repair_pick_ended',
  `SELECT ${columnsOfPicked} FROM callouts c
   WHERE webhook_key = $1 AND sequence_number > $2 AND sequence_number <= $3 AND kind = 'event'
     AND state = ANY($4::text[]) AND id >= $5 AND id < $6
     AND ($7::bigint IS NULL OR record_id = $7) AND ($8::text[] IS NULL OR action = ANY($8))
     AND ($9::text[] IS NULL OR ${lastFailedReasonSql('c.id')} = ANY($9))
   ORDER BY sequence_number LIMIT $10`,
);

/** Of named callouts, by their ids, however many callouts there are. */
const pickNamed = statement<PickedCallout>(
  'repair_pick_named_ended',
  `SELECT ${columnsOfPicked} FROM (SELECT * FROM callouts WHERE id = ANY($1::uuid[]) OFFSET 0) AS c
   WHERE webhook_key = $2 AND kind = 'event' AND state = ANY($3::text[]) AND id >= $4 AND id < $5
     AND sequence_number BETWEEN $6 AND $7
     AND ($8::bigint IS NULL OR record_id = $8) AND ($9::text[] IS NULL OR action = ANY($9))
     AND ($10::text[] IS NULL OR ${lastFailedReasonSql('c.id')} = ANY($10))`,
);

/** How a range is redelivered. */
interface RedeliverOptions {
  /** Nothing is reopened: only counted. */
  readonly isDryRun?: boolean;
}

/**
 * Reopens ended callouts of a range, in the order of their numbers, and in transactions of bounded size: the first are
 * sent already while the last are still to be reopened. Open callouts stay as they are, so a redelivery can be repeated
 * after an interruption.
 * @returns how many were reopened, or would be, and how many come late for their record.
 * @throws a Problem: `notFound` without the webhook, `conflict` when the webhook is inactive or becomes inactive
 * meanwhile.
 */
export async function redeliverRange(
  deps: RepairDeps,
  address: WebhookAddress,
  range: CalloutRange,
  { isDryRun = false }: RedeliverOptions = {},
): Promise<Redelivery> {
  const { pool } = deps.database;
  const states = redeliverableStates.filter((state) => range.states?.includes(state) ?? true);
  const { key } = await inTransaction(pool, (transaction) => lockActiveWebhook(transaction, address));
  const filters = [range.recordId ?? null, range.actions ?? null, range.reasons ?? null];
  const reopenPicked = async (picked: readonly PickedCallout[]): Promise<Redelivery> => {
    const ids = picked.map(({ id }) => id);
    // Counted before reopening: delivered callouts of the range are not delivered any more afterwards.
    const older = await countOlderOf(pool, key, picked);
    const queued = isDryRun ? ids.length : await reopenCallouts(deps, address, ids, states);
    return { queued, older: Math.min(older, queued) };
  };
  if (range.ids) {
    const numbers = [range.fromSequence ?? 0, range.toSequence ?? Number.MAX_SAFE_INTEGER];
    return reopenPicked(await pickNamed(pool, [range.ids, key, states, ...idBounds(range), ...numbers, ...filters]));
  }
  const [kept] = await findKeptNumbers(pool, [key]);
  const last = Math.min(range.toSequence ?? Infinity, kept?.last ?? 0);
  let after = Math.max(range.fromSequence ?? 0, kept?.first ?? 1) - 1;
  const parts: Redelivery[] = [];
  while (states.length > 0 && after < last) {
    const upTo = Math.min(last, after + NUMBERS_PER_LOOK);
    const filter = [states, ...idBounds(range), ...filters, CALLOUTS_PER_TRANSACTION];
    const picked = await pick(pool, [key, after, upTo, ...filter]);
    parts.push(await reopenPicked(picked));
    after = picked.length < CALLOUTS_PER_TRANSACTION ? upTo : (picked.at(-1)?.sequenceNumber ?? upTo);
  }
  return sumOfRedeliveries(parts);
}

interface MergedCallout {
  /** Null: the changes in the callout undid each other. */
  carrierId: string | null;
  /** Null, too, when the carrier is no longer kept. */
  carrierSequence: number | null;
}

const findCarrier = statementFrom<MergedCallout>('repair/repair_find_carrier');

function refusalOfMerged({ carrierId, carrierSequence }: MergedCallout): string {
  if (carrierId === null) return 'The callout is not redelivered: its changes undid each other before it was sent';
  const name = carrierSequence === null ? carrierId : `${carrierSequence} (${carrierId})`;
  return `The callout was merged into callout ${name}, which carries its change: redeliver that one`;
}

/**
 * Reopens an ended callout, in any final state but `merged`.
 * @returns how many were reopened, 0 for an open callout, and whether the callout comes late for its record.
 * @throws a Problem: `notFound` without the webhook or the callout, `conflict` when the webhook is inactive, no event
 * caused the call, or another callout carries the change.
 */
export async function redeliverOne(deps: RepairDeps, { webhook, calloutId }: CalloutAddress): Promise<Redelivery> {
  const { pool } = deps.database;
  const callout = await findCallout(pool, { webhook, calloutId });
  const { id, kind } = callout;
  if (kind === 'test') throw Problem.conflict('A test is not redelivered: send another one');
  if (kind === 'deactivation') {
    throw Problem.conflict('A deactivation call is not redelivered: by now the webhook may be active again');
  }
  const [merged] = await findCarrier(pool, [id]);
  if (merged !== undefined) throw Problem.conflict(refusalOfMerged(merged));
  // Counted before reopening: a delivered callout is not delivered any more afterwards.
  const older = await countOlderOf(pool, callout.webhookKey, [callout]);
  const queued = await reopenCallouts(deps, webhook, [id], redeliverableStates);
  return { queued, older: Math.min(older, queued) };
}

/** Callouts with higher numbers have later ids, by clocks that differ by less. */
const clockSlackMs = 3_600_000;

const findDelivered = statementFrom<{ recordId: number; delivered: number | null }>('repair/repair_find_delivered');

/** A callout that was picked to be redelivered. */
interface PickedCallout extends OrderedCallout {
  readonly id: string;
  /** Only callouts of events are about a record. */
  readonly kind: string;
}

/** How many of some callouts of a webhook are older than a delivered callout of the record. */
async function countOlderOf(client: Client, webhookKey: number, picked: readonly PickedCallout[]): Promise<number> {
  const callouts = picked.filter(({ kind }) => kind === 'event');
  const [oldest] = callouts.map(({ id }) => id).toSorted();
  if (oldest === undefined) return 0;
  const recordIds = [...new Set(callouts.map(({ recordId }) => recordId))];
  const lastOfRecords = await findDelivered(client, [webhookKey, recordIds, idNear(oldest, -clockSlackMs)]);
  const delivered = lastOfRecords.flatMap(({ recordId, delivered: last }) =>
    last === null ? [] : [[recordId, last] as const],
  );
  return countOlder(callouts, new Map(delivered));
}

import type { Client } from '../connection/database.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { dayMs } from '../schema/partitions.ts';

/**
 * The kinds of history with their own retention: callouts with their bodies and attempts; events with their verdicts;
 * error logs.
 */
export type HistoryKind = 'callouts' | 'events' | 'errorLogs';

/** Why the rows of a day are still needed, as sentences; empty when they are not. */
export async function reasonsToKeep(client: Client, kind: HistoryKind, day: Date): Promise<string[]> {
  const ofAnyKind = await count(client, arriving, [], 'tenant that is being moved here');
  if (kind === 'errorLogs') return ofAnyKind;
  const ids = idsOf(day);
  if (kind === 'events') {
    const nextDay = new Date(day.getTime() + dayMs);
    return [
      ...ofAnyKind,
      ...(await count(client, pending, ids, 'pending event')),
      // Their bodies are made from events of the same day, or of the day before.
      ...(await openCalloutsOf(client, day)),
      ...(await openCalloutsOf(client, nextDay)),
    ];
  }
  return [
    ...ofAnyKind,
    ...(await openCalloutsOf(client, day)),
    ...(await count(client, attemptsOfOpen, ids, 'open callout with an attempt')),
    ...(await count(client, unsent, ids, 'mail that is not out')),
  ];
}

/** The open callouts of a day, as sentences; empty when there are none. */
export async function openCalloutsOf(client: Client, day: Date): Promise<string[]> {
  return count(client, open, idsOf(day), 'open callout');
}

// The open callouts of the tenant come last: until then nothing here shows which history they need.
const arriving = `SELECT FROM tenants WHERE state = 'arriving' AND deleting_at IS NULL`;
const pending = 'SELECT FROM pending_events WHERE event_id >= $1 AND event_id < $2';
const open = 'SELECT FROM open_callouts WHERE callout_id >= $1 AND callout_id < $2';
// Attempts of that day for a callout of an earlier one.
const attemptsOfOpen = `SELECT FROM open_callouts o WHERE o.callout_id < $1 AND o.attempts_made > 0 AND EXISTS (
  SELECT FROM attempts a WHERE a.callout_id = o.callout_id AND a.id >= $1 AND a.id < $2)`;
// A mail about a failed callout explains how to redeliver it.
const unsent = `SELECT FROM notifications n WHERE n.state = 'waiting' AND n.kind = 'error' AND EXISTS (
  SELECT FROM callouts c WHERE c.webhook_key = n.webhook_key AND c.id >= $1 AND c.id < $2
    AND c.sequence_number = (n.content -> 'facts' ->> 'sequenceNumber')::bigint)`;

/** The lowest id of a day, and that of the day after. */
function idsOf(day: Date): [from: string, below: string] {
  return [lowestIdAt(day), lowestIdAt(new Date(day.getTime() + dayMs))];
}

async function count(client: Client, rows: string, values: string[], what: string): Promise<string[]> {
  const { rows: found } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${rows}) AS found`,
    values,
  );
  const number = found[0]?.count ?? 0;
  return number === 0 ? [] : [`${number} × ${what}`];
}

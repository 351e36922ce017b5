import type { Client } from '../connection/database.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { dayMs } from '../schema/partitions.ts';

/** What history is kept by: callouts with their bodies and attempts; events with their verdicts; error logs. */
export type HistoryKind = 'callouts' | 'events' | 'errorLogs';

/** Why the rows of a day must not go yet, in words; empty when nothing needs them. */
export async function reasonsToKeep(client: Client, kind: HistoryKind, day: Date): Promise<string[]> {
  if (kind === 'errorLogs') return [];
  if (kind === 'events') return count(client, pending, day, 'pending event');
  return [
    ...(await openCalloutsOf(client, day)),
    ...(await count(client, attemptsOfOpen, day, 'open callout with an attempt')),
    ...(await count(client, unsent, day, 'mail that is not out')),
  ];
}

/** The callouts of a day that are open, in words; empty when none is. */
export async function openCalloutsOf(client: Client, day: Date): Promise<string[]> {
  return count(client, open, day, 'open callout');
}

const pending = 'SELECT FROM pending_events WHERE event_id >= $1 AND event_id < $2';
const open = 'SELECT FROM open_callouts WHERE callout_id >= $1 AND callout_id < $2';
// Made on that day for a callout of an earlier one.
const attemptsOfOpen = `SELECT FROM open_callouts o WHERE o.callout_id < $1 AND o.attempts_made > 0 AND EXISTS (
  SELECT FROM attempts a WHERE a.callout_id = o.callout_id AND a.id >= $1 AND a.id < $2)`;
// A mail about a failed callout says how to have it sent again.
const unsent = `SELECT FROM notifications n WHERE n.state = 'waiting' AND n.kind = 'error' AND EXISTS (
  SELECT FROM callouts c WHERE c.webhook_key = n.webhook_key AND c.id >= $1 AND c.id < $2
    AND c.sequence_number = (n.content -> 'facts' ->> 'sequenceNumber')::bigint)`;

async function count(client: Client, rows: string, day: Date, what: string): Promise<string[]> {
  const { rows: found } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (${rows}) AS found`,
    [lowestIdAt(day), lowestIdAt(new Date(day.getTime() + dayMs))],
  );
  const number = found[0]?.count ?? 0;
  return number === 0 ? [] : [`${number} × ${what}`];
}

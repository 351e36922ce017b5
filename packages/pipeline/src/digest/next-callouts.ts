import { readBodies } from '../payload/callout-bodies.ts';
import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import type { NextCallout } from './chain.rules.ts';

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
 * The callouts of a webhook after a number, with their bodies.
 * @throws Error when a body is missing whose callout is stored: events are kept longer than callouts.
 */
export async function readNextCallouts(
  client: Client,
  webhookKey: number,
  after: number,
  atMost: number,
): Promise<NextCallout[]> {
  const rows = await read(client, [webhookKey, after, atMost]);
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

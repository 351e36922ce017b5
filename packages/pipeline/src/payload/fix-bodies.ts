import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { readBodies } from './callout-bodies.ts';

const fix = statementFrom<Pick<ClaimedCallout, 'id' | 'action'> & { isRead: boolean }>('payload/payload_fix');

/**
 * Makes the bytes of claimed callouts final, which must be done before the first attempt of a webhook that merges: no
 * later change is merged into them from then on.
 * @returns for each, in their order, what is to be sent; null: it is not open under its lease any more.
 */
export async function fixBodies<Callout extends ClaimedCallout>(
  client: Client,
  callouts: readonly Callout[],
): Promise<(Callout | null)[]> {
  const rows = await fix(client, [callouts.map(({ id }) => id), callouts.map(({ leaseOwner }) => leaseOwner)]);
  const fixed = new Map(rows.map((row) => [row.id, row]));
  // Only now can nothing be merged into them any more.
  const bodies = await readBodies(
    client,
    rows.flatMap(({ id, isRead }) => (isRead ? id : [])),
  );
  return callouts.map((callout) => {
    const row = fixed.get(callout.id);
    if (row === undefined) return null;
    return { ...callout, action: row.action, body: bodies.get(callout.id) ?? callout.body };
  });
}

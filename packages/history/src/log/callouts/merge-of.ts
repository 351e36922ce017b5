import type { RunSearch } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';

/** The result of merging a callout. */
export interface Merge {
  /** The callout that carries the change; null: the changes undid each other, or the carrier was deleted. */
  readonly into: { readonly id: string; readonly sequenceNumber: number } | null;
  /** A sentence. */
  readonly message: string;
}

interface Row {
  readonly id: string;
  readonly carrierId: string | null;
  readonly carrierSequence: number | null;
  /** The changes in the carrier undid each other, too. */
  readonly isCarrierMerged: boolean;
}

/** The results of the merged callouts among these, by their ids. */
export async function readMerges(
  run: RunSearch,
  callouts: readonly { readonly id: string; readonly state: string }[],
): Promise<Map<string, Merge>> {
  const ids = callouts.flatMap(({ id, state }) => (state === 'merged' ? id : []));
  if (ids.length === 0) return new Map();
  const values = new SqlValues();
  const rows = await run<Row>(
    `SELECT c.id, c.merged_into AS "carrierId", i.sequence_number AS "carrierSequence",
       coalesce(i.state = 'merged', false) AS "isCarrierMerged"
     FROM unnest(${values.add(ids)}::uuid[]) AS n (id),
       LATERAL (SELECT id, merged_into FROM callouts WHERE id = n.id OFFSET 0) AS c
       LEFT JOIN LATERAL (SELECT sequence_number, state FROM callouts WHERE id = c.merged_into OFFSET 0) AS i ON true`,
    values,
  );
  return new Map(rows.map((row) => [row.id, mergeOf(row)]));
}

function mergeOf({ carrierId, carrierSequence, isCarrierMerged }: Row): Merge {
  if (carrierId === null) {
    return {
      into: null,
      message: 'The changes that it carried undid each other before it was sent: nothing was left to send.',
    };
  }
  const name = carrierSequence === null ? 'An earlier callout, which is no longer kept,' : `Callout ${carrierSequence}`;
  const undone = isCarrierMerged ? ' Its changes undid each other before it was sent: nothing was left to send.' : '';
  return {
    into: carrierSequence === null ? null : { id: carrierId, sequenceNumber: carrierSequence },
    message: `${name} of the same record carries its change.${undone}`,
  };
}

import type { CalloutFilter } from '@callout/domain/callout/callout-filter';
import type { ListPosition } from '@callout/domain/query/list-cursor';
import { bodiesOf, bodyParameters, readBodiesSql, type BodyRow } from '@callout/pipeline/payload/callout-bodies';
import { inSearch, type SearchDeps } from '../../search/search-transaction.ts';
import { SqlValues } from '../../sql-values.ts';
import type { CalloutScope } from './callout-candidates.ts';
import { readLastAttempts, type LoggedAttempt } from './callout-details.ts';
import { advice, listCalloutIds } from './callout-log.ts';
import { readCallouts, type LoggedCallout } from './callout-rows.ts';

/** A callout with everything for sending the callout again elsewhere. */
export interface ExportedCallout extends LoggedCallout {
  /** The exact text that is signed and sent; null: no longer stored. */
  readonly body: string | null;
  /** Null: none was made. */
  readonly attempt: LoggedAttempt | null;
}

/** Ids that are looked for at once. */
const IDS_PER_LOOK = 500;
/** Each brings its body and up to 64 KiB of an answer: memory has no more of them at once. */
const CALLOUTS_PER_READ = 20;

/**
 * All callouts that a filter means, the newest first, in small parts. Each part is a separate search, so no connection
 * waits for the reader of the export. What is dropped meanwhile is left out, and nothing comes twice.
 * @throws an `invalid` Problem when one of the searches takes too long, and the errors of `inSlot`.
 */
export async function* exportCallouts(
  search: SearchDeps,
  scope: CalloutScope,
  filter: CalloutFilter,
): AsyncGenerator<ExportedCallout[]> {
  let position: ListPosition | null = null;
  do {
    const page = await listCalloutIds(search, scope, filter, IDS_PER_LOOK, position);
    for (let at = 0; at < page.items.length; at += CALLOUTS_PER_READ) {
      yield await readExported(search, scope.tenantId, page.items.slice(at, at + CALLOUTS_PER_READ));
    }
    position = page.next;
  } while (position !== null);
}

function readExported(search: SearchDeps, tenantId: number, ids: readonly string[]): Promise<ExportedCallout[]> {
  return inSearch({ ...search, advice }, tenantId, async (run) => {
    const callouts = await readCallouts(run, ids);
    const readIds = callouts.map(({ id }) => id).toSorted();
    if (readIds.length === 0) return [];
    const bodies = bodiesOf(await run<BodyRow>(readBodiesSql, new SqlValues(bodyParameters(readIds))));
    const attempts = await readLastAttempts(run, callouts);
    return callouts.map((callout) => ({
      ...callout,
      body: bodies.get(callout.id) ?? null,
      attempt: attempts.get(callout.id) ?? null,
    }));
  });
}

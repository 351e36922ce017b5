import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import type { Database } from '@callout/db/connection';
import { createSubscriptionReader } from '@callout/db/match';
import { readCatalogueFiles } from '@callout/runtime/config';
import type { MatchDeps } from './match.ts';

/** What matching needs, over the entities that come with the product. */
export async function matchDeps({ pool }: Database, onError: MatchDeps['onError']): Promise<MatchDeps> {
  const catalogue = buildCatalogue(await readCatalogueFiles(ownCatalogueDir));
  return {
    pool,
    catalogue,
    readSubscriptions: createSubscriptionReader(catalogue, 100),
    maxEvents: 500,
    onError,
    leaseAtMatch: null,
  };
}

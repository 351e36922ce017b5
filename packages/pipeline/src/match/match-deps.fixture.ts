import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import type { Database } from '@callout/database/connection/database';
import { createSubscriptionReader } from './load.ts';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import type { MatchDeps } from './match.ts';

/** Dependencies of match, with the entities that come with the product. */
export async function matchDeps({ pool }: Database, onError: MatchDeps['onError']): Promise<MatchDeps> {
  const catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
  return {
    pool,
    catalogue,
    readSubscriptions: createSubscriptionReader(catalogue, { maxKept: 100, maxBytes: 8 * 1024 * 1024 }),
    storedLayouts: new Map(),
    maxEvents: 500,
    maxCharacters: 8 * 1024 * 1024,
    onError,
  };
}

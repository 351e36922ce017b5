import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { readCatalogueFiles } from '@callout/runtime/config';
import { errorsPage } from './errors-page.ts';
import { eventPages, type DocumentPage } from './event-pages.ts';

/** Every page of `docs/` that is made from what the API itself goes by, not yet formatted. */
export async function generatedPages(): Promise<DocumentPage[]> {
  const catalogue = buildCatalogue(await readCatalogueFiles(ownCatalogueDir));
  return [{ file: 'errors.md', text: errorsPage() }, ...eventPages(catalogue)];
}

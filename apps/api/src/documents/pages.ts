import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { catalogueJsonSchema } from '@callout/domain/catalogue/catalogue-file';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { ownVersion } from '@callout/runtime/process/own-version';
import { downloadsPage } from './downloads-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventPages, type DocumentPage } from './event-pages.ts';
import { failuresPage } from './failures-page.ts';
import { operationsPage } from './operations-page.ts';

/** Every page of `docs/` from the definitions of the API, not yet formatted. */
export async function generatedPages(): Promise<DocumentPage[]> {
  const catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
  return [
    { file: 'errors.md', text: errorsPage() },
    { file: 'failures.md', text: failuresPage() },
    { file: 'operations.md', text: operationsPage() },
    { file: 'downloads.md', text: downloadsPage(await ownVersion()) },
    ...eventPages(catalogue),
    { file: 'catalogue.schema.json', text: JSON.stringify(catalogueJsonSchema(), null, 2) },
  ];
}

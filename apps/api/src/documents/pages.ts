import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { readCatalogueFiles } from '@callout/runtime/config';
import type { OpenApiDocument } from '../openapi/document-types.ts';
import { requestCollection } from './collection.ts';
import { errorsPage } from './errors-page.ts';
import { eventPages, type DocumentPage } from './event-pages.ts';

/** Every page of `docs/` that is made from what the API itself goes by, not yet formatted. */
export async function generatedPages(document: OpenApiDocument): Promise<DocumentPage[]> {
  const catalogue = buildCatalogue(await readCatalogueFiles(ownCatalogueDir));
  return [
    { file: 'errors.md', text: errorsPage() },
    ...eventPages(catalogue),
    { file: 'callout.postman_collection.json', text: JSON.stringify(requestCollection(document), null, 2) },
  ];
}

import path from 'node:path';

/** The folder of the catalogue files that are part of Callout, one for each entity. */
export const ownCatalogueDir = path.resolve(import.meta.dirname, '../../catalogue');

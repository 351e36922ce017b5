import path from 'node:path';

/** The folder of the catalogue files of Callout, a file for each entity. */
export const ownCatalogueDir = path.resolve(import.meta.dirname, '../../catalogue');

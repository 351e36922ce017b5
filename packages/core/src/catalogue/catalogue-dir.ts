import path from 'node:path';

/** Where the catalogue files lie that come with Callout, one for each entity. */
export const ownCatalogueDir = path.resolve(import.meta.dirname, '../../catalogue');

import path from 'node:path';

/** Where apps/console is built to; from the sources of this program as from what is built of them. */
export const consoleDirectory = path.resolve(import.meta.dirname, '../../../console/dist');

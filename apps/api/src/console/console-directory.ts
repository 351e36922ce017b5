import path from 'node:path';

/** The directory that apps/console is built to; the path is the same from the sources and from the compiled program. */
export const consoleDirectory = path.resolve(import.meta.dirname, '../../../console/dist');

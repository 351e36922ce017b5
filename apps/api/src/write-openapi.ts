import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownDocument } from './documents/own-document.ts';
import { operatorDocument } from './operator/operations/operator-document.ts';

// Writes the OpenAPI documents of an installation with default settings, `openapi.json` and `operator-openapi.json`, into
// the directory that the command line names. The typed client and the console's types are generated from them.
const [directory] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: write-openapi <directory>');

const { text } = await ownDocument();
// The directory may be missing: `npm ci` leaves no node_modules/.cache.
await mkdir(directory, { recursive: true });
await writeFile(path.join(directory, 'openapi.json'), text);
await writeFile(path.join(directory, 'operator-openapi.json'), JSON.stringify(operatorDocument()));
process.exit(0);

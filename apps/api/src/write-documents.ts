import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generatedPages } from './documents/pages.ts';

// Run by `npm run docs`. The path is equal from `src` and from `dist`.
const docs = path.resolve(import.meta.dirname, '../../../docs');
for (const { file, text } of await generatedPages()) {
  await mkdir(path.dirname(path.join(docs, file)), { recursive: true });
  await writeFile(path.join(docs, file), text);
}
process.exit(0);

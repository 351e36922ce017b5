import { writeFile } from 'node:fs/promises';
import { configurationPage } from './config/describe.ts';

// Run by `npm run docs`. The path is the same from `src` and from `dist`.
await writeFile(new URL('../../../docs/configuration.md', import.meta.url), configurationPage());

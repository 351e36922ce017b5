// Builds what is out of date, then runs the command. Plain JavaScript: it runs before the build.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, BuildProblem } from './build.js';

const root = path.resolve(import.meta.dirname, '../../..');
const main = 'packages/cli/dist/callout/main.js';

// An installation without sources or without the compiler was built before it was shipped.
const isShipped =
  existsSync(path.join(root, main)) &&
  !['packages/cli/src', 'node_modules/typescript'].every((needed) => existsSync(path.join(root, needed)));
try {
  if (!isShipped) await build(root, ['packages/cli'], main);
} catch (error) {
  if (!(error instanceof BuildProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
await import(pathToFileURL(path.join(root, main)).href);

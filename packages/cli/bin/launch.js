// Builds what is out of date, then goes on as the program that was asked for. Plain JavaScript: it runs before the build.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, BuildProblem } from './build.js';

const root = path.resolve(import.meta.dirname, '../../..');

const local = { main: 'packages/cli/dist/main.js', projects: ['apps/api', 'apps/worker', 'packages/cli'] };
const bench = { main: 'tools/bench/dist/main.js', projects: ['apps/api', 'apps/worker', 'tools/bench'] };

const isBench = process.argv[2] === 'bench';
const { main, projects } = isBench ? bench : local;
try {
  await build(root, projects, main, {
    withConsole: ['start', 'dev'].includes(process.argv[2]) && !process.argv.includes('--help'),
  });
} catch (error) {
  if (!(error instanceof BuildProblem)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// The benchmark is a program of its own, with its own arguments.
if (isBench) process.argv.splice(1, 2, path.join(root, main));
await import(pathToFileURL(path.join(root, main)).href);

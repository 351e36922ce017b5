// The files that the checks of the structure read: their texts, whether they are tests, and their syntax trees.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'rolldown/utils';

const CODE = /\.(ts|tsx|sql|css|js|cjs|mjs)$/;
const PACKAGES = ['apps/*/src/**', 'packages/*/src/**', 'tools/*/src/**'];
const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
const texts = new Map();
const parses = new Map();

/** Code below some paths, committed or not: paths relative to the repository. Generated code is left out. */
export function codeBelow(...paths) {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...paths];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
    .split('\n')
    .filter((file) => CODE.test(file) && !file.includes('/generated/') && existsSync(path.join(root, file)));
}

export const isTest = (file) => /\.(test|fixture|suite|bench|drill)\.tsx?$|\/(fixtures|test)\//.test(file);
export const isTypeScript = (file) => /\.tsx?$/.test(file);
/** The folder of the package or app of a file: `packages/queue`. */
export const packageOf = (file) => file.split('/').slice(0, 2).join('/');
export const files = codeBelow(...PACKAGES);
export const sources = files.filter((file) => !isTest(file));
export const packages = [...new Set(files.map(packageOf))].toSorted((a, b) => a.localeCompare(b));

export function textOf(file) {
  if (!texts.has(file)) texts.set(file, readFileSync(path.resolve(root, file), 'utf8'));
  return texts.get(file);
}

/** The syntax tree and the comments of a file of TypeScript or JavaScript. */
export function parse(file) {
  if (!parses.has(file)) {
    const { program, comments, errors } = parseSync(file, textOf(file));
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    parses.set(file, { program, comments });
  }
  return parses.get(file);
}

// Plain JavaScript, because jest.unit.config.js reads it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What is about processes and servers, even where its tests are given none. */
const ABOUT_SERVERS = /^(packages\/cli|tools\/(local|e2e|testing))\//;
/** A test that asks for one of these starts a server or a process, or talks to one. Types do no harm. */
const STARTS_SERVERS =
  /^(@callout\/(testing|local)\b|@callout\/(database|pipeline|queue)\/fixtures|pg$|ioredis$|bullmq$|node:(http|https|net|tls|dgram|child_process)$)/;
const IMPORT = /^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gm;

/**
 * The tests that start nothing: neither they nor what they share with other tests asks for a server or a process.
 *
 * @param {string} root of the repository
 * @returns {string[]} absolute paths
 */
export function unitTests(root) {
  const all = ['apps', 'packages', 'tools'].flatMap((part) =>
    readdirSync(path.join(root, part), { recursive: true })
      .filter((file) => /^[^/]+\/src\/.*(?<!\.bench)\.test\.ts$/.test(String(file)))
      .map((file) => path.join(part, String(file))),
  );
  return all
    .filter((file) => !ABOUT_SERVERS.test(file))
    .map((file) => path.join(root, file))
    .filter((file) => startsNothing(file));
}

/**
 * @param {string} file a test, or what tests share
 * @returns {boolean} whether neither it nor a fixture that it imports asks for a server or a process
 */
export function startsNothing(file) {
  const specifiers = [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, specifier]) => specifier);
  if (specifiers.some((specifier) => STARTS_SERVERS.test(specifier))) return false;
  return specifiers
    .filter((specifier) => /^\./.test(specifier))
    .map((specifier) => path.resolve(path.dirname(file), specifier))
    .filter((shared) => /\/fixtures\/|\.fixture\.ts$/.test(shared) && existsSync(shared))
    .every(startsNothing);
}

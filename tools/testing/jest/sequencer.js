// Plain JavaScript, because Jest loads it untransformed.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import JestSequencer from '@jest/test-sequencer';
import { startsNothing } from './unit-tests.js';

/** Their tests start processes and browsers, take longest, and wait for most of that time. */
const WAITING = /\/(tools\/(e2e|local|bench)|packages\/cli)\//;
/** The longest of all, which go on for a good part of a run. */
const LONGEST = /\/(e2e\/src\/(console\/console|drill\/drill)|cli\/src\/start)\.test\.ts$/;
const SUITE = /^import '(\.[^']+\.suite\.ts)';$/gm;

/**
 * Longest first, so that no worker is left with a long test file when the others are done, and files that wait among those
 * that compute, so that neither all cores are idle for a while nor all tests compete for them.
 */
export default class Sequencer extends JestSequencer {
  /** @param {Parameters<JestSequencer['sort']>[0]} tests */
  sort(tests) {
    const sorted = longestFirst(super.sort(tests));
    const waiting = sorted.filter(({ path: file }) => WAITING.test(file));
    const others = sorted.filter(({ path: file }) => !WAITING.test(file));
    const [longest, shorter] = [true, false].map((is) => waiting.filter(({ path: file }) => LONGEST.test(file) === is));
    return mix([...longest, ...shorter], others);
  }
}

/**
 * Jest goes by the size of a file in a checkout that has not run it yet, such as that of CI: but a file that only imports
 * suites is small, and one that starts a process takes longer than one that calculates.
 * @template {{ path: string, duration?: number }} T @param {readonly T[]} tests as Jest sorts them
 * @returns {T[]} those without a known duration first, as by Jest, in the order of what they probably take
 */
function longestFirst(tests) {
  const unknown = tests
    .filter(({ duration }) => duration === undefined)
    .map((test) => {
      const files = withSuites(test.path);
      const size = files.reduce((sum, file) => sum + readFileSync(file).length, 0);
      return { test, startsSomething: !files.every(startsNothing), size };
    })
    .sort((a, b) => Number(b.startsSomething) - Number(a.startsSomething) || b.size - a.size)
    .map(({ test }) => test);
  return [...unknown, ...tests.filter(({ duration }) => duration !== undefined)];
}

/** @param {string} file a test or a suite @returns {string[]} it, and the suites whose tests run with it */
function withSuites(file) {
  const suites = [...readFileSync(file, 'utf8').matchAll(SUITE)].map(([, name]) => path.join(path.dirname(file), name));
  return [file, ...suites.flatMap(withSuites)];
}

/** @template T @param {T[]} some @param {T[]} others @returns {T[]} both in their order, evenly among each other */
function mix(some, others) {
  const at = (list) => list.map((item, index) => ({ item, place: index / list.length }));
  return [...at(some), ...at(others)].sort((a, b) => a.place - b.place).map(({ item }) => item);
}

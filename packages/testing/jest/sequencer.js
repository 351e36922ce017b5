// Plain JavaScript, because Jest loads it untransformed.
import JestSequencer from '@jest/test-sequencer';

/** Their tests start processes and browsers, take longest, and wait for most of that time. */
const WAITING = /\/packages\/(e2e|cli|local|bench)\//;
/** Those of them that take longest, which Jest cannot know in a fresh checkout: it goes by the size of the files. */
const LONGEST = /\/e2e\/src\/(console|drill)\/|\/cli\/src\/start\.test/;

/**
 * Longest first, so that no worker is left with a long test file when the others are done, and files that wait among those
 * that compute, so that neither all cores are idle for a while nor all tests compete for them.
 */
export default class Sequencer extends JestSequencer {
  /** @param {Parameters<JestSequencer['sort']>[0]} tests */
  sort(tests) {
    const sorted = super.sort(tests);
    const waiting = sorted.filter(({ path }) => WAITING.test(path));
    const others = sorted.filter(({ path }) => !WAITING.test(path));
    const [longest, shorter] = [true, false].map((is) => waiting.filter(({ path }) => LONGEST.test(path) === is));
    return mix([...longest, ...shorter], others);
  }
}

/** @template T @param {T[]} some @param {T[]} others @returns {T[]} both in their order, evenly among each other */
function mix(some, others) {
  const at = (list) => list.map((item, index) => ({ item, place: index / list.length }));
  return [...at(some), ...at(others)].sort((a, b) => a.place - b.place).map(({ item }) => item);
}

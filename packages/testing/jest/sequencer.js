// Plain JavaScript, because Jest loads it untransformed.
import JestSequencer from '@jest/test-sequencer';

/** Their tests start processes and browsers, take longest, and wait for most of that time. */
const WAITING = /\/packages\/(e2e|cli|local|bench)\//;

/**
 * Longest first, so that no worker is left with a long test file when the others are done, and files that wait among those
 * that compute, so that neither all cores are idle for a while nor all tests compete for them.
 */
export default class Sequencer extends JestSequencer {
  /** @param {Parameters<JestSequencer['sort']>[0]} tests */
  sort(tests) {
    const sorted = super.sort(tests);
    const isWaiting = ({ path }) => WAITING.test(path);
    return mix(
      sorted.filter(isWaiting),
      sorted.filter((test) => !isWaiting(test)),
    );
  }
}

/** @template T @param {T[]} some @param {T[]} others @returns {T[]} both in their order, evenly among each other */
function mix(some, others) {
  const at = (list) => list.map((item, index) => ({ item, place: index / list.length }));
  return [...at(some), ...at(others)].sort((a, b) => a.place - b.place).map(({ item }) => item);
}

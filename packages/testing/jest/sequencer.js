// Plain JavaScript, because Jest loads it untransformed.
import JestSequencer from '@jest/test-sequencer';

/** Their tests start processes and servers, and take longest. */
const LONGEST = /\/packages\/(e2e|cli|local)\//;

/**
 * Longest first, so that no worker is left with a long test file when the others are done; in a fresh checkout, too, where
 * Jest has measured none yet.
 */
export default class Sequencer extends JestSequencer {
  /** @param {Parameters<JestSequencer['sort']>[0]} tests */
  sort(tests) {
    const sorted = super.sort(tests);
    const isLong = ({ path }) => LONGEST.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}

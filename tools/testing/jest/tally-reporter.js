// Plain JavaScript, because Jest loads reporters untransformed.
import { writeSync } from 'node:fs';

/** The tally of the run in this process; undefined until a run has ended. @type {string | undefined} */
let tallyOfThisRun;

/**
 * `N passed, N failed` over all suites. A suite that fails to load, a run that ends early and a run without any test
 * count as failures: silence must not look like success.
 *
 * @param {{ numPassedTests: number, numFailedTests: number, numRuntimeErrorTestSuites: number, wasInterrupted: boolean }} results
 *   what Jest counted
 * @returns {string}
 */
export function tally(results) {
  const counted = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const isHollow = results.numPassedTests === 0 || results.wasInterrupted;
  return `${results.numPassedTests} passed, ${counted === 0 && isHollow ? 1 : counted} failed`;
}

/** Prints the tally as the very last line, after everything other reporters and hooks still write. */
export function printTallyAtExit() {
  process.once('exit', (code) => {
    // No run and no error is `--listTests`, `--showConfig` and the like: nothing to count.
    const line = tallyOfThisRun ?? (code === 0 ? undefined : '0 passed, 1 failed');
    if (line === undefined) return;
    if (!line.endsWith(' 0 failed') && code === 0) process.exitCode = 1;
    writeSync(process.stdout.fd, `${line}\n`);
  });
}

export default class TallyReporter {
  /** @param {unknown} _contexts @param {Parameters<typeof tally>[0]} results */
  onRunComplete(_contexts, results) {
    tallyOfThisRun = tally(results);
  }
}

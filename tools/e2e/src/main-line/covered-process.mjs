// Loaded before a program (`--import`) whose coverage is compared: at SIGUSR2 the process reports what has run since the
// last report, and ends all timers that were set before, so that work on a timer does not run by chance.
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';
import v8 from 'node:v8';

/** Timers of a path gather for a few milliseconds; work in the background waits longer. */
const BACKGROUND_MS = 100;
let reports = 0;

process.on('SIGUSR2', () => {
  reports += 1;
  v8.takeCoverage();
});

for (const name of ['setTimeout', 'setInterval']) {
  const set = globalThis[name];
  const setUnlessReported = (callback, delayMs, ...args) => {
    const atReport = reports;
    const run = (...values) => {
      if (atReport === reports || delayMs < BACKGROUND_MS) callback(...values);
    };
    return set(run, delayMs, ...args);
  };
  // Symbols too: util.promisify asks for one.
  globalThis[name] = Object.assign(setUnlessReported, set);
}

const sleep = promises.setTimeout;
promises.setTimeout = async (delayMs, value, options) => {
  const atReport = reports;
  await sleep(delayMs, undefined, options);
  return atReport === reports || delayMs < BACKGROUND_MS ? value : new Promise(() => {});
};
syncBuiltinESMExports();

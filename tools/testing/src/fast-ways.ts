import { hasFastWays } from '@callout/runtime/process/fast-ways';

// oxlint-disable-next-line node/no-process-env -- a run of tests has no main.ts that could hand it down
const { FAST_WAYS = 'on' } = process.env;

/** The fast ways of this run, as an environment for the processes that a test starts. */
export const fastWaysSettings = { FAST_WAYS };

/** Whether this run of tests takes fast ways: see `hasFastWays` of the runtime. */
export const runHasFastWays = hasFastWays(fastWaysSettings);

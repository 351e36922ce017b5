import { randomInt } from 'node:crypto';

/* oxlint-disable node/no-process-env -- a run of tests has no main.ts that could hand it down */

/** Determines the writes and the order of the faults. */
export const drillSeed = process.env['DRILL_SEED'] ?? String(randomInt(1_000_000));

/** The release that an upgrade begins from, where it is not the last one. */
export const drillFrom = process.env['DRILL_FROM'];

/** The number of faults or rounds of a drill of `npm run drill`. */
export const drillRounds = Number(process.env['DRILL_ROUNDS'] ?? 3);

/** How much goes wrong in a long drill of losses, and how long it lasts at most; undefined: a short one. */
export const drillExtent =
  process.env['DRILL_KILLS'] === undefined
    ? undefined
    : { faults: Number(process.env['DRILL_KILLS']), minutes: Number(process.env['DRILL_MINUTES'] ?? 600) };

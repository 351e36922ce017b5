import { randomInt } from 'node:crypto';

/* oxlint-disable node/no-process-env -- a run of tests has no main.ts that could hand it down */

/** Decides what is written and what goes wrong in which order. */
export const drillSeed = process.env['DRILL_SEED'] ?? String(randomInt(1_000_000));

/** The release that an upgrade begins from, where it is not the last one. */
export const drillFrom = process.env['DRILL_FROM'];

/** How often a drill of `npm run drill` does what it is about. */
export const drillRounds = Number(process.env['DRILL_ROUNDS'] ?? 3);

import { z } from 'zod';
import { listenHost, someOf, textLike, wholeNumber } from './kinds.ts';
import { retrySchedule } from './retry-schedule.ts';
import { sharedConfig } from './shared.ts';

/** The keys of the worker process alone. */
export const workerOnlyConfig = z.object({
  WORKER_ROLES: someOf({
    description: 'What this worker does. Every installation needs each role in at least one worker.',
    words: ['match', 'deliver', 'sweep'],
  }),
  WORKER_HEALTH_HOST: listenHost({ description: 'Address of the health endpoints.', default: '127.0.0.1' }),
  WORKER_HEALTH_PORT: wholeNumber({
    description: 'Port of `/healthz` and `/readyz`; 0 takes any free one.',
    default: 8081,
    min: 0,
    max: 65_535,
  }),
  CALLOUT_TIMEOUT_MS: wholeNumber({
    description: 'Milliseconds from the start of an attempt to the end of the answer headers.',
    default: 10_000,
    min: 100,
    max: 300_000,
  }),
  RETRY_SCHEDULE: retrySchedule(),
  CALLOUTS_IN_FLIGHT: wholeNumber({
    description: 'Callouts that one worker process sends at the same time.',
    default: 200,
    min: 1,
    max: 10_000,
  }),
  CALLOUTS_IN_FLIGHT_PER_WEBHOOK: wholeNumber({
    description: 'Callouts to one webhook that one worker process sends at the same time.',
    default: 50,
    min: 1,
    max: 10_000,
  }),
  LEASE_MS: wholeNumber({
    description:
      'Milliseconds after which a callout whose worker died may be sent by another. Must be longer than CALLOUT_TIMEOUT_MS.',
    default: 30_000,
    min: 1000,
    max: 3_600_000,
  }),
  SETTLE_COMMIT_MS: wholeNumber({
    description: 'Milliseconds that a result waits for others to share its commit. 0 never waits.',
    default: 10,
    min: 0,
    max: 1000,
  }),
  SWEEP_EVERY_MS: wholeNumber({
    description: 'Milliseconds between two searches for work whose wake-up was lost or is now due.',
    default: 1000,
    min: 50,
    max: 60_000,
  }),
  USER_AGENT: textLike({
    description: '`User-Agent` of every callout.',
    accepts: '1 to 200 visible ASCII characters',
    pattern: /^[\x20-\x7e]{1,200}$/,
    default: 'Callout/1.0',
  }),
});

/** Everything the worker process reads from its environment. */
export const workerConfig = z
  .object({ ...sharedConfig.shape, ...workerOnlyConfig.shape })
  .refine((config) => config.LEASE_MS > config.CALLOUT_TIMEOUT_MS, {
    path: ['LEASE_MS'],
    error:
      'must be longer than CALLOUT_TIMEOUT_MS, or a callout would be sent twice while its first attempt still runs',
    // Other keys may be wrong as well: this problem belongs in the same message.
    when: ({ value }) => hasBothTimes(value),
  });
export type WorkerConfig = z.output<typeof workerConfig>;

function hasBothTimes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['LEASE_MS', 'CALLOUT_TIMEOUT_MS'].every((name) => typeof Reflect.get(value, name) === 'number');
}

import { serveSharedServices, SHARED_SERVICES, type SharedServices } from '@callout/local/test-run';

/** Jest hands nothing from set-up to tear-down: they meet here. */
export const runningServices: { current?: SharedServices } = {};

/**
 * Runs once, before all tests. Starts nothing yet: the first test that needs PostgreSQL or Redis makes them start, so
 * that a run of pure tests waits for neither.
 */
export default async function globalSetup(): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- a run of tests has no main.ts, this is where it begins
  const { env } = process;
  const services = await serveSharedServices({ databaseUrl: env['DATABASE_URL'], redisUrl: env['REDIS_URL'] });
  runningServices.current = services;
  env[SHARED_SERVICES] = services.address;
}

/** The environment variable with the address of a test run's services for its processes. */
export const SHARED_SERVICES = 'CALLOUT_TEST_SERVICES';

/** The address of the run's PostgreSQL for tests. */
export interface SharedPostgres {
  url: string;
  /** How the names of this run's templates begin. */
  templatePrefix: string;
}

/** The address of the run's Redis for tests. */
export interface SharedRedis {
  url: string;
}

/** The PostgreSQL of this test run; started by the first request. */
export async function sharedPostgres(): Promise<SharedPostgres> {
  return (await request('postgres')) as SharedPostgres;
}

/**
 * The Redis of this test run; started by the first request. It is shared: touch only keys under a prefix of your own.
 */
export async function sharedRedis(): Promise<SharedRedis> {
  return (await request('redis')) as SharedRedis;
}

async function request(service: 'postgres' | 'redis'): Promise<unknown> {
  // oxlint-disable-next-line node/no-process-env -- tests have no main.ts that could hand it down
  const address = process.env[SHARED_SERVICES];
  if (address === undefined) throw new Error('there are no shared services: this works inside `npm test` only');
  const answer = await fetch(`${address}/${service}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the test run has no ${service}: ${text}`);
  return JSON.parse(text);
}

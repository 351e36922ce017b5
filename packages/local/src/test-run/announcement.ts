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

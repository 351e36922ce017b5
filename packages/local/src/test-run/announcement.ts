/** The environment variable by which the processes of a test run learn where to ask for its services. */
export const SHARED_SERVICES = 'CALLOUT_TEST_SERVICES';

/** What tests are told about the PostgreSQL of their run. */
export interface SharedPostgres {
  url: string;
  /** How the names of this run's templates begin. */
  templatePrefix: string;
}

/** What tests are told about the Redis of their run. */
export interface SharedRedis {
  url: string;
}

/** `REDIS_PREFIX` of a drill. */
export const DRILL_PREFIX = 'drill';

/** PostgreSQL and Redis as a drill sees them. */
export interface DrillServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Ends them and removes their data. */
  stop(): Promise<void>;
}

/**
 * Failures of receivers are retried so often
 * that no callout is ever given up.
 */
export const DRILL_SETTINGS = {
  LOG_LEVEL: 'debug',
  CALLOUT_TIMEOUT_MS: '1000',
  RETRY_SCHEDULE: Array.from({ length: 40 }, () => '500ms').join(','),
};

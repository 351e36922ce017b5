/** `REDIS_PREFIX` of a drill. */
export const DRILL_PREFIX = 'drill';

/** PostgreSQL and Redis as a drill sees them. */
export interface DrillServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Ends them and removes their data. */
  stop(): Promise<void>;
}

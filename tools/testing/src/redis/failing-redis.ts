/** Several servers of Redis of which one replaces another that is killed. */
export interface FailingRedis {
  /** As `REDIS_URL`. */
  readonly url: string;
  /** Kills the server that has the queues, and waits until another one has them. */
  failOver(): Promise<void>;
  /** Starts the killed one again, and waits until it follows its replacement. */
  repair(): Promise<void>;
  stop(): Promise<void>;
}

export interface FailingRedisOptions {
  /** The server program. */
  readonly program: string;
  /** For the files of all of them. */
  readonly dir: string;
  /** `REDIS_PREFIX` of the installation that uses it. */
  readonly prefix: string;
}

/** The configuration of every server. */
export const commonLines = (password: string): readonly string[] => [
  `requirepass ${password}`,
  `masterauth ${password}`,
  'maxmemory-policy noeviction',
  'save ""',
];

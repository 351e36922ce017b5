import type { Catalogue } from '@callout/core';
import type { Database } from '@callout/db';
import type { Producer } from '@callout/queue';
import type { Logger, WorkerConfig } from '@callout/runtime';

/** What every role of a worker is started with. */
export interface RoleDeps {
  config: WorkerConfig;
  catalogue: Catalogue;
  pool: Database['pool'];
  producer: Producer;
  redis: { url: string; prefix: string; onError: (error: Error) => void };
  log: Logger;
}

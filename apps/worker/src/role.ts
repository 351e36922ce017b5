import type { Catalogue } from '@callout/core/catalogue';
import type { Database } from '@callout/db/connection';
import type { Producer } from '@callout/queue';
import type { WorkerConfig } from '@callout/runtime/config';
import type { Logger } from '@callout/runtime/log';
import type { Tracing } from '@callout/runtime/tracing';
import type { WorkerMetrics } from './metrics/worker-metrics.ts';

/** What every role of a worker is started with. */
export interface RoleDeps {
  config: WorkerConfig;
  catalogue: Catalogue;
  pool: Database['pool'];
  producer: Producer;
  redis: { url: string; prefix: string; onError: (error: Error) => void };
  log: Logger;
  metrics: WorkerMetrics;
  /** Undefined: nothing is traced. */
  tracing?: Tracing | undefined;
}

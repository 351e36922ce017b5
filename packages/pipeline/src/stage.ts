import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { ClockWatch } from '@callout/database/connection/clock-watch';
import type { Database } from '@callout/database/connection/database';
import type { Producer } from '@callout/queue/producer';
import type { WorkerConfig } from '@callout/runtime/config/worker';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing';
import type { Paces } from './paces.ts';

/** Dependencies of every role of a worker. */
export interface RoleDeps {
  config: WorkerConfig;
  paces: Paces;
  catalogue: Catalogue;
  pool: Database['pool'];
  producer: Producer;
  redis: { url: string; prefix: string; onError: (error: Error) => void };
  clock: Pick<ClockWatch, 'aheadMs' | 'isRight' | 'problems'>;
  log: Logger;
  /** Undefined when tracing is off. */
  tracing?: Tracing | undefined;
}

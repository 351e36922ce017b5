import { parseConfigOrExit, workerConfig } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import { stopOnSignals, type StopStep, tellParent } from '@callout/runtime/process';

const config = parseConfigOrExit(workerConfig, process.env, process);
const log = createLogger({ service: 'worker', level: config.LOG_LEVEL });
const steps: StopStep[] = [];
const lifecycle = stopOnSignals({ log, drainTimeoutMs: config.DRAIN_TIMEOUT_MS, process }, steps);

try {
  // Loaded only now, because that is most of a start: wrong settings are told, and signals heard, before.
  const { startWorker } = await import('./start-worker.ts');
  tellParent(process, await startWorker({ config, log, steps, isStopping: () => lifecycle.isStopping() }));
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

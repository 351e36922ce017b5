import { parseConfigOrExit } from '@callout/runtime/config/parse';
import { workerConfig } from '@callout/runtime/config/worker';
import { createLogger } from '@callout/runtime/log/logger';
import { drainTimeoutMs, stopOnSignals, type StopStep } from '@callout/runtime/process/lifecycle';
import { notifyParent } from '@callout/runtime/process/notify-parent';

const config = parseConfigOrExit(workerConfig, process.env, process);
const log = createLogger({ service: 'worker', level: config.LOG_LEVEL });
const steps: StopStep[] = [];
const lifecycle = stopOnSignals({ log, drainTimeoutMs, process }, steps);

try {
  // Loaded only now, because loading is most of a start: wrong settings are reported, and signals handled, before.
  const { startWorker } = await import('./start-worker.ts');
  notifyParent(
    process,
    await startWorker({ config, env: process.env, log, steps, isStopping: () => lifecycle.isStopping() }),
  );
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

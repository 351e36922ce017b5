import { apiConfig, parseConfigOrExit } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import { stopOnSignals, type StopStep, tellParent } from '@callout/runtime/process';

const config = parseConfigOrExit(apiConfig, process.env, process);
const log = createLogger({ service: 'api', level: config.LOG_LEVEL });
const steps: StopStep[] = [];
const lifecycle = stopOnSignals({ log, drainTimeoutMs: config.DRAIN_TIMEOUT_MS, process }, steps);

try {
  // Loaded only now, because that is most of a start: wrong settings are told, and signals heard, before.
  const { startApi } = await import('./start-api.ts');
  tellParent(process, await startApi({ config, log, steps, isStopping: () => lifecycle.isStopping() }));
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

import { apiConfig } from '@callout/runtime/config/api';
import { parseConfigOrExit } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { drainTimeoutMs, stopOnSignals, type StopStep } from '@callout/runtime/process/lifecycle';
import { notifyParent } from '@callout/runtime/process/notify-parent';

const config = parseConfigOrExit(apiConfig, process.env, process);
const log = createLogger({ service: 'api', level: config.LOG_LEVEL });
const steps: StopStep[] = [];
const lifecycle = stopOnSignals({ log, drainTimeoutMs, process }, steps);

try {
  // Loaded only now, because loading is most of a start: wrong settings are reported and signals handled before.
  const { startApi } = await import('./start-api.ts');
  notifyParent(
    process,
    await startApi({ config, env: process.env, log, steps, isStopping: () => lifecycle.isStopping() }),
  );
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

import { parseCidrs } from '@callout/domain/target/address';
import { createSender } from '@callout/outbound/send';
import { sendOperatorMessages } from '@callout/pipeline/notify/operator/operator-messages';
import { installationName } from '@callout/pipeline/notify/write/mail-context.rules';
import type { RoleDeps } from '@callout/pipeline/stage';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import type { MaintenanceTask } from '@callout/runtime/process/maintenance';

/** Messages of one round, each with the whole time limit of a call. */
const mostPerRound = 10;
const storingMs = 30_000;

/** Sends alerts of the installation to OPERATOR_ALERT_URL; null without it. */
export function operatorAlertTask({
  config,
  pool,
  log,
}: RoleDeps): { readonly task: MaintenanceTask; readonly step: StopStep } | null {
  const { OPERATOR_ALERT_URL: url, CALLOUT_TIMEOUT_MS: timeoutMs } = config;
  if (url === undefined) return null;
  const sender = createSender({
    // An operator may have a receiver of alerts in the own network. Addresses of cloud metadata stay closed.
    policy: { allowHttp: true, allowCidrs: parseCidrs(['0.0.0.0/0', '::/0']) },
    timeoutMs,
    maxSockets: 1,
    proxy: config.OUTBOUND_PROXY,
  });
  const style = {
    format: config.OPERATOR_ALERT_FORMAT,
    routingKey: config.OPERATOR_ALERT_ROUTING_KEY,
    installation:
      installationName({ installation: config.INSTALLATION_NAME, publicUrl: config.PUBLIC_URL }) ?? 'Callout',
  };
  const leaseMs = mostPerRound * timeoutMs + storingMs;
  return {
    task: {
      name: 'operator alerts',
      everyMs: Math.max(config.SWEEP_EVERY_MS, 1_000),
      work: () =>
        sendOperatorMessages({
          pool,
          url,
          style,
          leaseMs,
          log,
          userAgent: config.USER_AGENT,
          send: (request) => sender.send(request),
          random: Math.random,
        }),
    },
    step: { name: 'operator alerts', stop: () => sender.close() },
  };
}

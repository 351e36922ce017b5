import { durationInWords } from '@callout/pipeline/notify/text/words.rules';
import type { InstallationAlertName } from '@callout/pipeline/notify/write/installation-alerts.rules';
import { KeyRing } from '@callout/domain/secrets/keyring';
import {
  missingKeySentence,
  pendingEventsSentence,
  refusedMailSentence,
} from '@callout/history/status/status-sentences.rules';
import { keptDays } from '@callout/database/cleanup/retention';
import { earlierNow } from '@callout/database/connection/clock';
import { keepAlerts } from '@callout/pipeline/notify/store/installation-alerts';
import { findOverdueCallout, findRefusedMail, oldestPendingEvent } from '@callout/pipeline/notify/store/overdue';
import { listProcesses } from '@callout/database/processes';
import { missingPartitions } from '@callout/database/schema/partitions';
import { findMissingKeys } from '@callout/tenancy/operator/missing-keys';
import type { RoleDeps } from '@callout/pipeline/stage';
import { retentionOf } from './retention-of.ts';
import { parseCidrs } from '@callout/domain/target/address';
import { createSender } from '@callout/outbound/send';
import { sendOperatorMessages } from '@callout/pipeline/notify/operator-messages';
import { installationName } from '@callout/pipeline/notify/write/mail-context.rules';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import type { MaintenanceTask } from '@callout/runtime/process/maintenance';

/** Describes the problem in sentences; null when there is none. */
type Check = () => Promise<string | null>;

/** Number of rounds in which no worker finds a problem before its alert ends: one may see what another cannot. */
const roundsUntilOver = 3;

/** The chore that looks for alerts every `everyMs`. */
export function alertTask(deps: RoleDeps, everyMs: number): MaintenanceTask {
  const checks = checksOf(deps);
  return { name: 'alerts', everyMs, work: () => lookForAlerts(deps, checks, everyMs) };
}

/**
 * Checks the installation as an operator would, and notifies its operators: each check separately, since one that
 * fails has no result for its alert.
 */
async function lookForAlerts(
  { config, pool, log }: RoleDeps,
  checks: Record<InstallationAlertName, Check>,
  everyMs: number,
): Promise<void> {
  const found = new Map<InstallationAlertName, string>();
  const checked: InstallationAlertName[] = [];
  for (const [name, check] of Object.entries(checks) as [InstallationAlertName, Check][]) {
    try {
      const detail = await check();
      checked.push(name);
      if (detail !== null) found.set(name, detail);
    } catch (err) {
      log.warn({ err, alert: name }, 'an alert could not be checked; trying again');
    }
  }
  const { raised, over } = await keepAlerts(pool, {
    checked,
    found,
    recipients: config.OPERATOR_MAIL,
    hasUrl: config.OPERATOR_ALERT_URL !== undefined,
    overAfterMs: roundsUntilOver * everyMs,
  });
  for (const name of raised) log.warn({ alert: name, detail: found.get(name) }, 'operators were notified of an alert');
  for (const name of over) log.warn({ alert: name }, 'operators were notified that an alert is over');
}

function checksOf({ config, pool, producer, clock }: RoleDeps): Record<InstallationAlertName, Check> {
  const limitMs = config.ALERT_BACKLOG_AFTER;
  /** By the clock of PostgreSQL, which wrote the time: that of this machine may be wrong. */
  const age = (since: Date): number => Date.now() - (clock.aheadMs() ?? 0) - since.getTime();
  /** By the monotonic clock; null while all is well. */
  let redisSinceMs: number | null = null;
  return {
    async pendingEvents() {
      const oldest = await oldestPendingEvent(pool);
      return oldest === null || age(oldest) < limitMs ? null : pendingEventsSentence(age(oldest));
    },
    async dueCallouts() {
      const overdue = await findOverdueCallout(pool, limitMs);
      if (overdue === undefined) return null;
      const { tenantName, entityType, webhookId, dueAt } = overdue;
      return `The oldest callout has been waiting for a worker for ${durationInWords(age(dueAt))}. It belongs to the tenant ${tenantName} and the webhook ${webhookId} of ${entityType}.`;
    },
    async redis() {
      const problems = await producer.problems();
      redisSinceMs = problems.length === 0 ? null : (redisSinceMs ?? performance.now());
      // A failover takes some seconds, and is no news.
      const isLasting = redisSinceMs !== null && performance.now() - redisSinceMs >= limitMs;
      return isLasting ? `${problems.join('. ')}.` : null;
    },
    async clocks() {
      const running = (await listProcesses(pool)).filter(({ isGone }) => !isGone);
      const wrong = running.flatMap(({ host, checks: { clock = 'ok' } }) =>
        clock === 'ok' ? [] : [`${host}: ${clock.replace('failed: ', '')}.`],
      );
      return wrong.length === 0 ? null : [...new Set(wrong)].join(' ');
    },
    async partitions() {
      const missing = await missingPartitions(pool, new Date());
      return missing.length === 0 ? null : `Missing: ${missing.join(', ')}.`;
    },
    async retention() {
      const kept = await keptDays(pool, retentionOf(config), await earlierNow(pool, new Date()));
      if (kept.length === 0) return null;
      return kept.map(({ partition, because }) => `${partition} is needed: ${because.join(', ')}.`).join(' ');
    },
    async keys() {
      const missing = await findMissingKeys(pool, KeyRing.parse(config.SECRET_KEYS).keyIds);
      if (missing.length === 0) return null;
      return missing.map(missingKeySentence).join(' ');
    },
    async mail() {
      const refused = await findRefusedMail(pool, limitMs);
      return refused === undefined ? null : refusedMailSentence(refused, age(refused.since));
    },
  };
}

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

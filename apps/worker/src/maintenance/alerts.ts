import { userAgent } from '@callout/domain/callout/user-agent';
import { counted, durationInWords } from '@callout/pipeline/notify/text/words.rules';
import type { InstallationAlertName } from '@callout/pipeline/notify/write/installation-alerts.rules';
import { KeyRing } from '@callout/domain/secrets/keyring';
import {
  missingKeySentence,
  pendingEventsSentence,
  refusedMailSentence,
} from '@callout/history/status/status-sentences.rules';
import { keptDays } from '@callout/database/cleanup/retention';
import { earlierNow } from '@callout/database/connection/clock';
import { keepAlerts, type Finding } from '@callout/pipeline/notify/store/installation-alerts';
import {
  countDueCallouts,
  countPendingEvents,
  findOverdueCallout,
  findRefusedMail,
  oldestPendingEvent,
  mostWaiting,
} from '@callout/pipeline/notify/store/overdue';
import { listProcesses } from '@callout/database/processes';
import { missingPartitions } from '@callout/database/schema/partitions';
import { findMissingKeys } from '@callout/tenancy/operator/missing-keys';
import type { RoleDeps } from '@callout/pipeline/stage';
import type { AlertTimes } from './alert-times.rules.ts';
import { retentionOf } from './retention-of.ts';
import { parseCidrs } from '@callout/domain/target/address';
import { createSender } from '@callout/outbound/send';
import { sendOperatorMessages } from '@callout/pipeline/notify/operator-messages';
import { installationName, operatorConsoleOf } from '@callout/pipeline/notify/write/mail-context.rules';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import type { MaintenanceTask } from '@callout/runtime/process/maintenance';

/** Describes the problem; null when there is none. */
type Check = () => Promise<Finding | null>;

/** Number of rounds without the problem in any worker before the alert ends: a worker may see what another cannot. */
const roundsUntilOver = 3;

/** The periodic job that looks for alerts. */
export function alertTask(deps: RoleDeps, { afterMs, everyMs }: AlertTimes): MaintenanceTask {
  const checks = checksOf(deps, afterMs);
  return { name: 'alerts', everyMs, work: () => lookForAlerts(deps, checks, everyMs) };
}

/**
 * Checks the installation as an operator would, and notifies the operators: each check separately, since a check that
 * fails has no result for the alert.
 */
async function lookForAlerts(
  { config, pool, log }: RoleDeps,
  checks: Record<InstallationAlertName, Check>,
  everyMs: number,
): Promise<void> {
  const findings = new Map<InstallationAlertName, Finding>();
  const checked: InstallationAlertName[] = [];
  for (const [name, check] of Object.entries(checks) as [InstallationAlertName, Check][]) {
    try {
      const finding = await check();
      checked.push(name);
      if (finding !== null) findings.set(name, finding);
    } catch (err) {
      log.warn({ err, alert: name }, 'an alert could not be checked; trying again');
    }
  }
  const { raised, over } = await keepAlerts(pool, {
    checked,
    found: findings,
    recipients: config.OPERATOR_MAIL,
    hasUrl: config.OPERATOR_ALERT_URL !== undefined,
    overAfterMs: roundsUntilOver * everyMs,
  });
  for (const name of raised)
    log.warn({ alert: name, detail: findings.get(name)?.detail }, 'operators were notified of an alert');
  for (const name of over) log.warn({ alert: name }, 'operators were notified that an alert is over');
}

function checksOf({ config, pool, producer, clock }: RoleDeps, limitMs: number): Record<InstallationAlertName, Check> {
  /** By the clock of PostgreSQL, which wrote the times: the clock of the machine may be wrong. */
  const nowMs = (): number => Date.now() - (clock.aheadMs() ?? 0);
  const age = (since: Date): number => nowMs() - since.getTime();
  /** By the monotonic clock; null while all is well. */
  let redisSinceMs: number | null = null;
  return {
    async pendingEvents() {
      const oldest = await oldestPendingEvent(pool);
      if (oldest === null || age(oldest) < limitMs) return null;
      const detail = `${pendingEventsSentence(age(oldest))} ${waitingSentence(await countPendingEvents(pool), 'event')}`;
      return { detail, since: oldest };
    },
    async dueCallouts() {
      const overdue = await findOverdueCallout(pool, limitMs);
      if (overdue === undefined) return null;
      const { tenantName, entityType, webhookId, dueAt } = overdue;
      const oldest = `The oldest callout has been waiting for a worker for ${durationInWords(age(dueAt))}. It belongs to the tenant ${tenantName} and the webhook ${webhookId} of ${entityType}.`;
      return { detail: `${oldest} ${waitingSentence(await countDueCallouts(pool), 'callout')}`, since: dueAt };
    },
    async redis() {
      const problems = await producer.problems();
      redisSinceMs = problems.length === 0 ? null : (redisSinceMs ?? performance.now());
      if (redisSinceMs === null) return null;
      const lastedMs = performance.now() - redisSinceMs;
      // A failover takes some seconds, and is no news.
      if (lastedMs < limitMs) return null;
      return { detail: `${problems.join('. ')}.`, since: new Date(nowMs() - lastedMs) };
    },
    async clocks() {
      const running = (await listProcesses(pool)).filter(({ isGone }) => !isGone);
      const wrong = running.flatMap(({ host, checks: { clock = 'ok' } }) =>
        clock === 'ok' ? [] : [`${host}: ${clock.replace('failed: ', '')}.`],
      );
      return wrong.length === 0 ? null : { detail: [...new Set(wrong)].join(' ') };
    },
    async partitions() {
      const missing = await missingPartitions(pool, new Date());
      return missing.length === 0 ? null : { detail: `Missing: ${missing.join(', ')}.` };
    },
    async retention() {
      const kept = await keptDays(pool, retentionOf(config), await earlierNow(pool, new Date()));
      if (kept.length === 0) return null;
      const detail = kept.map(({ partition, because }) => `${partition} is needed: ${because.join(', ')}.`).join(' ');
      return { detail };
    },
    async keys() {
      const missing = await findMissingKeys(pool, KeyRing.parse(config.SECRET_KEYS).keyIds);
      if (missing.length === 0) return null;
      return { detail: missing.map(missingKeySentence).join(' ') };
    },
    async mail() {
      const refused = await findRefusedMail(pool, limitMs);
      if (refused === undefined) return null;
      return { detail: refusedMailSentence(refused, age(refused.since)), since: refused.since };
    },
  };
}

/** How many wait in all. */
function waitingSentence(count: number, one: string): string {
  return `In all, ${counted(count, `${one} waits`, `${one}s wait`)}${count >= mostWaiting ? ', or more' : ''}.`;
}

/** Messages of one round, each with the whole time limit of a call. */
const mostPerRound = 10;
const storingMs = 30_000;

/** Sends alerts of the installation to OPERATOR_ALERT_URL; null without a URL. */
export function operatorAlertTask({
  config,
  paces,
  pool,
  log,
}: RoleDeps): { readonly task: MaintenanceTask; readonly step: StopStep } | null {
  const { OPERATOR_ALERT_URL: target, CALLOUT_TIMEOUT_MS: timeoutMs } = config;
  if (target === undefined) return null;
  const sender = createSender({
    // An operator may have a receiver of alerts in the own network. Addresses of cloud metadata stay closed.
    policy: { allowHttp: true, allowCidrs: parseCidrs(['0.0.0.0/0', '::/0']) },
    timeoutMs,
    maxSockets: 1,
    proxy: config.OUTBOUND_PROXY,
  });
  const style = {
    ...target,
    console: operatorConsoleOf(config),
    installation: installationName({ publicUrl: config.PUBLIC_URL }) ?? 'Callout',
  };
  const leaseMs = mostPerRound * timeoutMs + storingMs;
  return {
    task: {
      name: 'operator alerts',
      everyMs: Math.max(paces.sweepEveryMs, 1_000),
      work: () =>
        sendOperatorMessages({
          pool,
          url: target.url,
          style,
          leaseMs,
          log,
          userAgent,
          send: (request) => sender.send(request),
          random: Math.random,
        }),
    },
    step: { name: 'operator alerts', stop: () => sender.close() },
  };
}

import { scheduleOf } from '@callout/core/deliver';
import { takeLateEvents, webhooksWithDueCallouts } from '@callout/db/claim';
import { deleteLeftovers, dropOldPartitions } from '@callout/db/cleanup';
import { earlierNow } from '@callout/db/connection';
import { cancelOpenCallouts, webhooksToCancel } from '@callout/db/deactivate';
import { tellOfFailingWebhooks } from '@callout/db/mail';
import { ensurePartitions } from '@callout/db/schema';
import { rollUpDeliveries } from '@callout/db/statistics';
import { eraseTenants, hasTenantsToErase } from '@callout/db/tenants/erase';
import type { StopStep } from '@callout/runtime/process';
import { lookForAlerts } from './alerts.ts';
import { type Chore, startChores } from './chores.ts';
import { createPullChores } from './pulled.ts';
import { retentionOf } from './retention-of.ts';
import { startSweepLoop } from './sweep.ts';
import type { RoleDeps } from '../role.ts';

const hourMs = 3_600_000;
const erasingEveryMs = 15_000;
/** A minute that has ended is counted so soon; a look for one that has not costs one small row. */
const statisticsEveryMs = 5_000;
/** Beyond its lease, a result may be stored by a statement that takes its time, under another clock. */
const storingMs = 60_000;

/** The role that finds work that no process is doing, and clears away what is over. */
export function startSweep(deps: RoleDeps): StopStep[] {
  const { config, pool, producer, log, metrics } = deps;
  const sweep = startSweepLoop({
    takeLateEvents: (limit) => takeLateEvents(pool, limit),
    webhooksWithDueCallouts: (afterKey, limit) => webhooksWithDueCallouts(pool, afterKey, limit),
    producer,
    everyMs: config.SWEEP_EVERY_MS,
    log,
    metrics,
  });
  const chores = startChores(choresOf(deps), { log, metrics });
  return [
    { name: 'sweep', stop: () => sweep.stop() },
    { name: 'chores', stop: () => chores.stop() },
  ];
}

function choresOf(deps: RoleDeps): Chore[] {
  const { config } = deps;
  const alertsEveryMs = roundMs(config.ALERT_BACKLOG_AFTER, config.SWEEP_EVERY_MS, 30_000);
  const pulls = createPullChores(deps);
  return [
    { name: 'lapsed leases', everyMs: config.SWEEP_EVERY_MS, work: (isStopping) => pulls.settleLapsed(isStopping) },
    { name: 'expired webhooks', everyMs: Math.max(config.SWEEP_EVERY_MS, 5_000), work: () => pulls.deleteExpired() },
    {
      name: 'callouts not fetched',
      everyMs: roundMs(config.PULL_KEEP, config.SWEEP_EVERY_MS, hourMs),
      work: (isStopping) => pulls.giveUpStale(isStopping),
    },
    { name: 'cancelling', everyMs: config.SWEEP_EVERY_MS, work: (isStopping) => cancelDeactivated(deps, isStopping) },
    { name: 'erasing', everyMs: erasingEveryMs, work: (isStopping) => eraseDeleted(deps, isStopping) },
    {
      name: 'failing webhooks',
      everyMs: roundMs(config.ALERT_AFTER, config.SWEEP_EVERY_MS, 10_000),
      work: () => tellOfFailing(deps),
    },
    ...(config.OPERATOR_MAIL.length === 0
      ? []
      : [{ name: 'alerts', everyMs: alertsEveryMs, work: () => lookForAlerts(deps, alertsEveryMs) }]),
    { name: 'statistics', everyMs: statisticsEveryMs, work: (isStopping) => countDeliveries(deps, isStopping) },
    { name: 'partitions', everyMs: hourMs, work: () => makePartitions(deps) },
    { name: 'retention', everyMs: hourMs, work: (isStopping) => dropOld(deps, isStopping) },
    { name: 'leftovers', everyMs: hourMs, work: (isStopping) => clearAway(deps, isStopping) },
  ];
}

/** Webhooks taken at once: what is left comes with the next round. */
const mostCancelling = 1_000;

/** Cancels what deactivated webhooks have left open. A webhook that fails holds up no other. */
async function cancelDeactivated({ pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const errors: unknown[] = [];
  for (const webhookKey of await webhooksToCancel(pool, mostCancelling)) {
    try {
      if (await cancelOpenCallouts(pool, webhookKey, isStopping))
        log.debug({ webhookKey }, 'the open callouts of a deactivated webhook are cancelled');
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Erases what deleted tenants had, and goes on with what was cut short. */
async function eraseDeleted({ pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  if (!(await hasTenantsToErase(pool))) return;
  for (const { tenantId, outcome, rows } of (await eraseTenants(pool, { isStopping })) ?? []) {
    log.info({ tenantId, rows, outcome }, 'a deleted tenant was erased');
  }
}

/** Often enough for what must have lasted for `afterMs`. */
function roundMs(afterMs: number, leastMs: number, mostMs: number): number {
  return Math.max(leastMs, Math.min(mostMs, afterMs / 10));
}

async function tellOfFailing({ config, pool, log }: RoleDeps): Promise<void> {
  const { failing, recovered } = await tellOfFailingWebhooks(pool, {
    alertAfterMs: config.ALERT_AFTER,
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    schedule: scheduleOf(config.RETRY_SCHEDULE),
  });
  if (failing + recovered > 0)
    log.info({ failing, recovered }, 'owners were notified of webhooks that are failing or have recovered');
}

/** Counts what was delivered in the minutes that have ended, for charts. */
async function countDeliveries({ config, pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const counted = await rollUpDeliveries(pool, {
    now: await earlierNow(pool, new Date()),
    latenessMs: config.LEASE_MS + storingMs,
    keepMinutesMs: config.STATISTICS_MINUTES_RETENTION,
    keepHoursMs: config.STATISTICS_HOURS_RETENTION,
    isStopping,
  });
  if (counted !== null && counted.minutes > 0) log.debug({ ...counted }, 'deliveries counted');
}

async function makePartitions({ pool, log }: RoleDeps): Promise<void> {
  const made = await ensurePartitions(pool, new Date());
  if (made.length > 0) log.info({ made }, 'partitions created');
}

async function dropOld({ config, pool, log, metrics }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const result = await dropOldPartitions(pool, retentionOf(config), {
    now: await earlierNow(pool, new Date()),
    isStopping,
  });
  if (result === null) return;
  const { dropped, kept, postponed } = result;
  if (dropped.length > 0) metrics.onDropped(dropped.length);
  if (dropped.length > 0) log.info({ dropped }, 'history past its retention was dropped');
  if (kept.length > 0) log.warn({ kept }, 'history is kept beyond its retention, since it is still needed');
  if (postponed.length > 0) log.info({ postponed }, 'history past its retention is in use; trying again later');
}

async function clearAway({ config, pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const deleted = await deleteLeftovers(pool, {
    keepDays: config.RETENTION_CALLOUTS_DAYS,
    now: await earlierNow(pool, new Date()),
    isStopping,
  });
  if (deleted !== null && Object.values(deleted).some((count) => count > 0)) log.info({ deleted }, 'leftovers deleted');
}

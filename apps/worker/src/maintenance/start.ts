import { keptResultMs } from '@callout/pipeline/settle/results';
import { scheduleOf } from '@callout/pipeline/settle/retry.rules';
import { claimLateEvents, webhooksWithDueCallouts } from '@callout/pipeline/sweep/find-due';
import { dropOldPartitions } from '@callout/database/cleanup/retention';
import { endRotations } from '@callout/pipeline/sweep/ended-rotations';
import { deleteLeftovers } from '@callout/pipeline/sweep/leftovers';
import { earlierNow } from '@callout/database/connection/clock';
import { cancelOpenCallouts, webhooksToCancel } from '@callout/pipeline/deactivate/cancel';
import { takeAlertTest } from '@callout/pipeline/notify/store/alert-test';
import { notifyOfExpiringCertificates } from '@callout/pipeline/sweep/expiring-certificates';
import { notifyOfFailingWebhooks } from '@callout/pipeline/sweep/failing';
import { markUnfetchedWebhooks } from '@callout/pipeline/pull/unfetched';
import { webhookPage } from '@callout/pipeline/notify/write/mail-context.rules';
import { createHealthEvents } from '@callout/pipeline/health/make-events';
import { clearRatesAhead } from '@callout/pipeline/limits/limited-calls';
import { releaseRecovered } from '@callout/pipeline/repair/retry-now';
import { ensurePartitions } from '@callout/database/schema/partitions';
import { rollUpDeliveries } from '@callout/pipeline/sweep/roll-up';
import { eraseTenants, hasTenantsToErase } from '@callout/transfer/erase/erase-tenants';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { alertTimes } from './alert-times.rules.ts';
import { alertTask, operatorAlertTask } from './alerts.ts';
import { type MaintenanceTask, startMaintenance } from '@callout/runtime/process/maintenance';
import { createPullMaintenance, pullKeepMs } from '@callout/pipeline/sweep/pulled';
import { deleteExpiredWebhooks } from '@callout/webhooks/expired-webhooks';
import { retentionOf } from './retention-of.ts';
import { startSweepLoop } from '@callout/pipeline/sweep/sweep';
import type { MaintenanceMetrics } from '@callout/pipeline/sweep/maintenance-metrics';
import type { RoleDeps } from '@callout/pipeline/stage';

const hourMs = 3_600_000;
const erasingEveryMs = 15_000;
/** How soon a finished minute is counted; a look without a finished minute reads a small row. */
const statisticsEveryMs = 5_000;
/** Charts by the minute are for what happens now; a row for each webhook and minute with a delivery adds up. */
const keepMinutesMs = 3 * 24 * hourMs;
/** A year and a month more, to compare a month with the month of the last year. */
const keepHoursMs = 400 * 24 * hourMs;
/** A slow statement may store a result later than the lease, under another clock. */
const storingMs = 60_000;

type SweepDeps = RoleDeps & { metrics: MaintenanceMetrics };

/** The role that finds work that no process is doing, and deletes old data. */
export function startSweep(deps: SweepDeps): StopStep[] {
  const { paces, pool, producer, log, metrics } = deps;
  const sweep = startSweepLoop({
    claimLateEvents: (limit) => claimLateEvents(pool, limit),
    webhooksWithDueCallouts: (afterKey, limit) => webhooksWithDueCallouts(pool, afterKey, limit),
    producer,
    everyMs: paces.sweepEveryMs,
    log,
    metrics,
  });
  const operatorAlerts = operatorAlertTask(deps);
  const ownTasks = operatorAlerts === null ? [] : [operatorAlerts.task];
  const tasks = startMaintenance([...tasksOf(deps), ...ownTasks], { log, metrics });
  return [
    { name: 'sweep', stop: () => sweep.stop() },
    { name: 'chores', stop: () => tasks.stop() },
    ...(operatorAlerts === null ? [] : [operatorAlerts.step]),
  ];
}

function tasksOf(deps: SweepDeps): MaintenanceTask[] {
  const { config } = deps;
  const { sweepEveryMs } = deps.paces;
  const alerts = alertTimes(config.ALERT_AFTER, sweepEveryMs);
  const pulls = createPullMaintenance(deps, deleteExpiredWebhooks);
  const place = { consoleUrl: config.CONSOLE_URL, hasConsole: config.CONSOLE === 'on', publicUrl: config.PUBLIC_URL };
  const makeHealthEvents = createHealthEvents(deps.pool, ({ entityType, id }, zoneUrl) => {
    const collection = deps.catalogue.byEntityType(entityType)?.webhookCollection ?? entityType;
    return webhookPage({ entityType, id, collection }, place, zoneUrl) ?? null;
  });
  return [
    { name: 'lapsed leases', everyMs: sweepEveryMs, work: (isStopping) => pulls.settleLapsed(isStopping) },
    { name: 'expired webhooks', everyMs: Math.max(sweepEveryMs, 5_000), work: () => pulls.deleteExpired() },
    {
      name: 'callouts not fetched',
      everyMs: hourMs,
      work: (isStopping) => pulls.failStale(isStopping),
    },
    {
      name: 'recovered webhooks',
      everyMs: sweepEveryMs,
      work: (isStopping) => releaseOfRecovered(deps, isStopping),
    },
    {
      name: 'rates of webhooks',
      everyMs: Math.max(sweepEveryMs, 5_000),
      work: () => clearAhead(deps),
    },
    {
      name: 'health events',
      everyMs: sweepEveryMs,
      async work(isStopping) {
        const eventIds = await makeHealthEvents(isStopping);
        if (eventIds.length > 0) deps.producer.enqueueEvents(eventIds);
      },
    },
    { name: 'cancelling', everyMs: sweepEveryMs, work: (isStopping) => cancelDeactivated(deps, isStopping) },
    { name: 'erasing', everyMs: erasingEveryMs, work: (isStopping) => eraseDeleted(deps, isStopping) },
    {
      name: 'failing webhooks',
      everyMs: alerts.everyMs,
      work: () => tellOfFailing(deps, alerts.afterMs),
    },
    ...(config.OPERATOR_MAIL.length === 0 && config.OPERATOR_ALERT_URL === undefined ? [] : [alertTask(deps, alerts)]),
    { name: 'test of alerts', everyMs: Math.max(sweepEveryMs, 1_000), work: () => testAlerts(deps) },
    { name: 'statistics', everyMs: statisticsEveryMs, work: (isStopping) => countDeliveries(deps, isStopping) },
    { name: 'certificates', everyMs: hourMs, work: () => tellOfCertificates(deps) },
    { name: 'partitions', everyMs: hourMs, work: () => makePartitions(deps) },
    { name: 'retention', everyMs: hourMs, work: (isStopping) => dropOld(deps, isStopping) },
    { name: 'leftovers', everyMs: hourMs, work: (isStopping) => clearAway(deps, isStopping) },
  ];
}

/** Webhooks per round: the next round handles the others. */
const mostRecovered = 100;

/** Sends waiting callouts of webhooks whose receivers have recovered; lanes limit the rate. */
async function releaseOfRecovered({ pool, producer, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const released = await releaseRecovered(pool, { atMost: mostRecovered, isStopping });
  if (released.size > 0) producer.enqueueWebhooks([...released.keys()]);
  for (const [webhookKey, callouts] of released)
    log.info(
      { webhookKey, callouts },
      'the receiver is well again: callouts that waited for their next attempt are due',
    );
}

async function clearAhead({ pool, producer, log }: RoleDeps): Promise<void> {
  const webhookKeys = await clearRatesAhead(pool);
  if (webhookKeys.length === 0) return;
  log.warn(
    { webhooks: webhookKeys.length },
    'the clock of PostgreSQL was set back: webhooks with a rate do not wait until it has caught up',
  );
  producer.enqueueWebhooks(webhookKeys);
}

/** Webhooks per round: the next round handles the others. */
const mostCancelling = 1_000;

/** Cancels open callouts of deactivated webhooks. A webhook that fails delays no other. */
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

/** Erases the data of deleted tenants, and continues interrupted erasures. */
async function eraseDeleted({ pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  if (!(await hasTenantsToErase(pool))) return;
  for (const { tenantId, outcome, rows } of (await eraseTenants(pool, { isStopping })) ?? []) {
    log.info({ tenantId, rows, outcome }, 'a deleted tenant was erased');
  }
}

async function tellOfFailing({ config, pool, log }: RoleDeps, afterMs: number): Promise<void> {
  await markUnfetchedWebhooks(pool, afterMs);
  const { failing, recovered } = await notifyOfFailingWebhooks(pool, {
    alertAfterMs: afterMs,
    gatherMs: Math.min(config.MAIL_GATHER, afterMs),
    deactivateAfter: config.DEACTIVATE_AFTER_FAILURES,
    schedule: scheduleOf(config.RETRY_SCHEDULE),
    pullKeepMs,
  });
  if (failing + recovered > 0)
    log.info({ failing, recovered }, 'owners were notified of webhooks that are failing or have recovered');
}

/** Sends a test that an operator has asked for. */
async function testAlerts({ config, pool, log }: RoleDeps): Promise<void> {
  const channels = { recipients: config.OPERATOR_MAIL, hasUrl: config.OPERATOR_ALERT_URL !== undefined };
  if (await takeAlertTest(pool, channels)) log.info({}, 'a test of the alerts to operators is sent');
}

async function tellOfCertificates({ pool, log }: RoleDeps): Promise<void> {
  const webhooks = await notifyOfExpiringCertificates(pool);
  if (webhooks > 0) log.info({ webhooks }, 'owners were notified of client certificates that expire');
}

/** Counts the deliveries of finished minutes, for charts. */
async function countDeliveries({ config, pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  const counted = await rollUpDeliveries(pool, {
    now: await earlierNow(pool, new Date()),
    latenessMs: config.CALLOUT_TIMEOUT_MS + keptResultMs + storingMs,
    keepMinutesMs,
    keepHoursMs,
    isStopping,
  });
  if (counted !== null && counted.minutes > 0) log.debug({ ...counted }, 'deliveries counted');
}

async function makePartitions({ pool, log }: RoleDeps): Promise<void> {
  const partitions = await ensurePartitions(pool, new Date());
  if (partitions.length > 0) log.info({ partitions }, 'partitions created');
}

async function dropOld({ config, pool, log, metrics }: SweepDeps, isStopping: () => boolean): Promise<void> {
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

/** Further overlaps wait for the next hour: a key whose overlap is over signs nothing meanwhile. */
const rotationsPerRound = 5_000;

async function clearAway({ config, pool, log }: RoleDeps, isStopping: () => boolean): Promise<void> {
  await endRotations(pool, rotationsPerRound);
  const deleted = await deleteLeftovers(pool, {
    keepDays: config.RETENTION_CALLOUTS_DAYS,
    keepChangesDays: config.RETENTION_CHANGES_DAYS,
    now: await earlierNow(pool, new Date()),
    isStopping,
  });
  if (deleted !== null && Object.values(deleted).some((count) => count > 0)) log.info({ deleted }, 'leftovers deleted');
}

import { setTimeout as sleep } from 'node:timers/promises';
import { conditionsOf } from './bench.ts';
import { newCompanies, outageWorkload } from './driver/workload.ts';
import { startInstallation } from './installation.ts';
import { nowMs } from './measure/latency.ts';
import type { BenchOptions } from './options.ts';
import type { Company } from './plan.ts';
import { paddedTable, shown } from './table.ts';
import { createDatabase, onSharedServers, type SharedServers } from './servers.ts';
import type { BenchDeps, Stage } from './stage.ts';

/** How a webhook caught up after its receiver was down. */
interface CaughtUp {
  readonly records: number;
  readonly changes: number;
  /** Different callouts that the receiver took afterwards. */
  readonly callouts: number;
  /** From the first of them to the moment when nothing was left to send. */
  readonly catchUpMs: number;
  /** Nothing was sent out of order, or without being owed. */
  readonly isWhole: boolean;
}

export interface OutageResult {
  readonly conditions: readonly string[];
  readonly without: CaughtUp;
  readonly merging: CaughtUp;
  readonly isWhole: boolean;
}

const CHANGES_PER_RECORD = 100;
/** Nothing is given up and nothing deactivated. */
const SETTINGS = {
  RETRY_SCHEDULE: Array.from({ length: 50 }, () => '1s').join(),
  DEACTIVATE_AFTER_FAILURES: '1000000',
};
const LOOK_EVERY_MS = 20;

/** Changes each of some records a hundred times while the receiver is down, for a webhook that merges and one that does not. */
export function runOutageBench(options: BenchOptions, company: Company, deps: BenchDeps): Promise<OutageResult> {
  return onSharedServers(
    deps,
    async (shared, stage) => {
      const without = await measure(false, { options, company, ...shared }, deps, stage);
      const merging = await measure(true, { options, company, ...shared }, deps, stage);
      const isWhole = without.isWhole && merging.isWhole;
      return { conditions: conditionsOf(shared.servers, options, deps.env), without, merging, isWhole };
    },
    ({ isWhole }) => isWhole,
  );
}

interface Parts extends SharedServers {
  readonly options: BenchOptions;
  readonly company: Company;
}

async function measure(mergeWhileWaiting: boolean, parts: Parts, deps: BenchDeps, stage: Stage): Promise<CaughtUp> {
  const { options, company, servers, receiver } = parts;
  const { guarded } = stage;
  const databaseUrl = await createDatabase(servers.postgres.url, stage.onStop);
  const [port = 0] = await guarded(receiver.call('listen', 1));
  const installation = await startInstallation(
    {
      ...parts,
      name: mergeWhileWaiting ? 'merging' : 'without',
      databaseUrl,
      webhookUrls: [`http://127.0.0.1:${port}/0`],
      settings: SETTINGS,
      mergeWhileWaiting,
    },
    deps,
    stage,
  );
  const records = Math.ceil(options.load.events / CHANGES_PER_RECORD);
  const [warmUp, changes] = [
    newCompanies(company, records),
    outageWorkload(company, records * CHANGES_PER_RECORD, records),
  ];
  await installation.startWorkers();
  await installation.expect(warmUp);
  await installation.send(warmUp, { ...options.load, rate: 0 });
  await installation.untilDelivered(records);

  deps.report(`The receiver is down; ${shown(changes.events)} changes of ${shown(records)} records …`);
  await installation.expect(changes, ['failing']);
  await installation.send(changes, { ...options.load, rate: 0 });
  while ((await installation.postgres.pending()) > 0) await guarded(sleep(LOOK_EVERY_MS));
  await receiver.call('behave', ['prompt']);
  deps.report('The receiver is back …');
  while ((await receiver.call('delivered')) === 0) await guarded(sleep(LOOK_EVERY_MS));
  const startedAtMs = nowMs();
  while ((await installation.postgres.owed()) > 0) await guarded(sleep(LOOK_EVERY_MS));
  const catchUpMs = nowMs() - startedAtMs;
  await installation.stopWorkers();
  const { delivered, unowed, outOfOrder } = await receiver.call('arrivals');
  return {
    records,
    changes: changes.events,
    callouts: delivered,
    catchUpMs,
    isWhole: unowed === 0 && outOfOrder === 0 && (mergeWhileWaiting || delivered === changes.events),
  };
}

/** The result as text. */
export function renderOutage({ conditions, without, merging }: OutageResult): string {
  const rows = [
    ['After an outage', 'a callout for each change', 'mergeWhileWaiting'],
    ['records', shown(without.records), shown(merging.records)],
    ['changes', shown(without.changes), shown(merging.changes)],
    ['callouts', shown(without.callouts), shown(merging.callouts)],
    ['seconds to catch up', shown(without.catchUpMs / 1000, 1), shown(merging.catchUpMs / 1000, 1)],
  ];
  return `${conditions.join('\n')}\n\n${paddedTable(rows)}\n`;
}

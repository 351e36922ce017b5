import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareInstallation } from '@callout/testing';
import { briefChaos } from '../faults/scenario.ts';
import { type DrillServices, startDrillServices } from '../faults/services.ts';
import { say } from '../say.ts';
import { drillRounds } from '../settings.ts';
import { useDrill } from '../use-drill.ts';
import { countedStatements, observedPlans, observing } from './observed.ts';
import { stockServers } from './stock-servers.ts';

const run = promisify(execFile);
const launcher = path.resolve(import.meta.dirname, '../../../../../packages/cli/bin/callout-local.js');
const drill = useDrill();

/** A minute with the three rounds of `npm run drill`. What happens in it repeats every few seconds. */
const idleMs = drillRounds * 20_000;

/**
 * The most blocks of 8 KiB that one execution may touch. The dearest statements store hundreds of rows at once and touch
 * some 1,500; tables are small here, and a statement above it reads what it does not need.
 */
const mostBlocks = 5_000;

/** What no server may have observed. */
const nothing = { compiled: [], wouldCompile: [], parallel: [], dear: [] };

describe.each(stockServers())('$name with its default settings', (server) => {
  let services: DrillServices;
  beforeAll(async () => {
    services = await startDrillServices({ programs: await server.programs(), settings: observing });
  });
  afterAll(() => services.stop());

  it('runs the demo, and compiles no plan', async () => {
    await runDemo(services.databaseUrl);
    expect(await found(services)).toEqual(nothing);
  });

  it('loses nothing in the loss drill, and compiles no plan', async () => {
    const lasting = { ...services, stop: async () => undefined };
    const { problems, callouts } = await drill({ ...briefChaos, start: async () => lasting });
    expect(await found(services)).toEqual(nothing);
    expect(callouts).toBeGreaterThan(100);
    expect(problems.slice(0, 40)).toEqual([]);
  });

  it('is idle after a rolling restart, and compiles no plan', async () => {
    await restartInTurn(services);
    expect(await found(services)).toEqual(nothing);
  });
});

async function runDemo(databaseUrl: string): Promise<void> {
  // oxlint-disable-next-line node/no-process-env -- the basics of any program, without REDIS_URL and the like
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, DATABASE_URL: databaseUrl };
  const { stdout } = await run(process.execPath, [launcher, 'demo'], { env });
  expect(stdout).toContain('Every callout arrived, in order, its signature verified.');
}

/** With the settings that an installation has by default, on the data of the drill before it. */
async function restartInTurn({ databaseUrl, redisUrl }: DrillServices): Promise<void> {
  const installation = await prepareInstallation({
    ...{ databaseUrl, redisUrl, redisPrefix: 'restarted' },
    // The secrets of the data are encrypted with the keys of the demo.
    settings: { SECRET_KEYS: `k1:${randomBytes(32).toString('base64')},local:lost` },
  });
  try {
    const both = ['api', 'worker'] as const;
    const before = both.map((app) => installation.start(app, `first ${app}`));
    await Promise.all(before.map((process) => process.ready()));
    for (const [nth, app] of both.entries()) {
      await installation.start(app, `second ${app}`).ready();
      await before[nth]?.signal('SIGTERM');
    }
    expect(await Promise.all(before.map((process) => process.exit))).toEqual(
      both.map(() => ({ code: 0, signal: null })),
    );
    await sleep(idleMs);
    expect(installation.processes().filter((process) => process.isRunning())).toHaveLength(2);
  } finally {
    await installation.stop();
  }
}

/** The statements that cost too much since PostgreSQL was started, or observed last. */
async function found({ databaseUrl, postgresLog }: DrillServices): Promise<Record<keyof typeof nothing, unknown[]>> {
  const [statements, plans] = [await countedStatements(databaseUrl), await observedPlans(postgresLog)];
  say(`${plans.length} plans, ${statements.length} statements; the dearest touches ${statements[0]?.blocks} blocks`);
  // Else nothing was observed.
  expect(plans.length).toBeGreaterThan(100);
  return {
    compiled: queriesOf([...plans.filter((one) => one.isCompiled), ...statements.filter((one) => one.compiled > 0)]),
    wouldCompile: queriesOf(plans.filter(({ wouldCompile }) => wouldCompile)),
    parallel: queriesOf(plans.filter(({ isParallel }) => isParallel)),
    dear: statements.filter(({ blocks }) => blocks > mostBlocks),
  };
}

const queriesOf = (of: readonly { readonly query: string }[]) => [...new Set(of.map(({ query }) => query))];

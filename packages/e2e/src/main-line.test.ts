import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import {
  callApi,
  eventually,
  everyCompanyEvent,
  prepareCallout,
  registerWebhook,
  type CalloutSetup,
  testRedis,
} from '@callout/testing';

const root = path.resolve(import.meta.dirname, '../../..');
const mostFiles = 15;
/** In the order of the tree; sending belongs to delivery. */
const stages = ['ingest', 'queue', 'match', 'deliver', 'settle'];

interface Step {
  file: string;
  functionName: string;
}

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let steps: Step[];

beforeAll(async () => {
  steps = readSteps(await readFile(path.join(root, 'ARCHITECTURE.md'), 'utf8'));
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, root });
  stops.push(() => setup.stop());
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** The numbered list of "The way of an event": a file each, and the function in it that has the event. */
function readSteps(text: string): Step[] {
  const section = text.split('\n## ').find((one) => one.startsWith('The way of an event\n')) ?? '';
  return [...section.matchAll(/^\d+\. `([^`]+)` \(`(\w+)`\)/gmu)].map(([, file = '', functionName = '']) => ({
    file,
    functionName,
  }));
}

function stageOf(file: string): number {
  const [, part = '', folder = ''] = /^(?:apps|packages)\/(\w+)\/src\/(\w+)/u.exec(file) ?? [];
  const stageOfPart: Record<string, string> = { api: 'ingest', queue: 'queue', outbound: 'deliver', pipeline: folder };
  return stages.indexOf(stageOfPart[part] ?? '');
}

interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/** Makes a process report at SIGUSR2 the functions that have run since the last time, as it does when it ends. */
const REPORTS_ON_SIGNAL = 'import v8 from "node:v8"; process.on("SIGUSR2", () => v8.takeCoverage());';

/** The directory of the processes' reports. */
async function coverageDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-coverage-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * The steps whose function ran, according to the reports of two processes in that directory, which is empty afterwards.
 */
async function reportedSteps(directory: string): Promise<Step[]> {
  const scripts = await eventually(async () => {
    const names = await readdir(directory);
    expect(names).toHaveLength(2);
    const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
    return texts.flatMap((text) => (JSON.parse(text) as Coverage).result);
  });
  for (const name of await readdir(directory)) await rm(path.join(directory, name));
  return steps.filter(({ file, functionName }) => {
    const built = pathToFileURL(path.join(root, file.replace('/src/', '/dist/').replace(/\.ts$/u, '.js'))).href;
    const functions = scripts.filter(({ url }) => url === built).flatMap((script) => script.functions);
    return functions.some((one) => one.functionName === functionName && (one.ranges[0]?.count ?? 0) > 0);
  });
}

describe('the way of an event, as ARCHITECTURE.md lists it', () => {
  it('has at most 15 files, none of them twice, in the order of the stages', () => {
    const files = steps.map(({ file }) => file);
    expect(files.length).toBeGreaterThanOrEqual(stages.length);
    expect(files.length).toBeLessThanOrEqual(mostFiles);
    expect(new Set(files).size).toBe(files.length);
    const passed = files.map(stageOf);
    expect(passed).toEqual(passed.toSorted((a, b) => a - b));
    expect(new Set(passed)).toEqual(new Set(stages.keys()));
  });

  it('is where one event passes from its request to the settled callout, and nothing passes without one', async () => {
    const directory = await coverageDirectory();
    const settings = {
      NODE_V8_COVERAGE: directory,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORTS_ON_SIGNAL)}`,
    };
    const api = setup.installation.start('api', 'API', settings);
    const port = await api.ready();
    const worker = setup.installation.start('worker', 'worker', settings);
    await worker.ready();
    const tenant = await setup.tenant();
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url('/in') });
    await Promise.all([api.signal('SIGUSR2'), worker.signal('SIGUSR2')]);
    expect(await reportedSteps(directory)).toEqual([]);

    const event = { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'one' } };
    await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events: [event] } });
    await eventually(async () => (await setup.database.prisma.attempt.count()) === 1);
    await Promise.all([api.signal('SIGTERM'), worker.signal('SIGTERM')]);
    const passed = await reportedSteps(directory);
    expect(passed).toEqual(steps);
    expect(setup.receiver.count('/in')).toBe(1);
  });
});

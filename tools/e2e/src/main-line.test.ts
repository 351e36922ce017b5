import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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
const mostFiles = 26;
const mostFolders = 8;
/** Packages of which every file that an event passes is listed, or is one of these. */
const coveredPackages = /^packages\/(?:pipeline|queue|outbound)\//u;
const notListed = [
  { of: /\/start\.ts$|queue\/src\/producer\.ts$/u, because: 'puts parts together' },
  { of: /-metrics\.ts$/u, because: 'counts what happens' },
  { of: /ingest\/(?:keys|record-ids)\.ts$/u, because: 'is for keys of requests, and for new records without an id' },
  { of: /ingest\/request\.rules\.ts$/u, because: 'forms the answer' },
  { of: /deliver\/engine\//u, because: 'is a part that the lanes of the engine ask' },
  { of: /deliver\/clock-halt\.ts$/u, because: 'looks at the clock on a timer' },
  { of: /payload\/callout-bodies\.ts$/u, because: 'is asked only whether the body can be made again' },
  { of: /payload\/long-bodies\.ts$/u, because: 'is asked whether there is room for a long body' },
  { of: /pipeline\/src\/cache\//u, because: 'keeps what was read for other events' },
  {
    of: /queue\/src\/(?:consumer|job-sender|jobs|redis\/(?:redis|write-watch))\.ts$/u,
    because: 'carries jobs of every queue',
  },
  { of: /(?:deliver\/claim|limits\/release-held)\.ts$/u, because: 'looks for held callouts on a timer' },
  { of: /outbound\/src\/(?!send\.ts$)/u, because: 'is the HTTP client behind send.ts' },
];

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

/** The numbered list of "The path of an event": a file each, and the function in it that has the event. */
function readSteps(text: string): Step[] {
  const section = text.split('\n## ').find((one) => one.startsWith('The path of an event\n')) ?? '';
  return [...section.matchAll(/^\d+\. `([^`]+)` \(`(\w+)`\)/gmu)].map(([, file = '', functionName = '']) => ({
    file,
    functionName,
  }));
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

/** The functions that ran, by the file of their source, according to the reports of two processes in that directory. */
async function reportedFunctions(directory: string): Promise<Map<string, Set<string>>> {
  const scripts = await eventually(async () => {
    const names = await readdir(directory);
    expect(names).toHaveLength(2);
    const texts = await Promise.all(names.map((name) => readFile(path.join(directory, name), 'utf8')));
    return texts.flatMap((text) => (JSON.parse(text) as Coverage).result);
  });
  for (const name of await readdir(directory)) await rm(path.join(directory, name));
  const ran = new Map<string, Set<string>>();
  for (const { url, functions } of scripts) {
    if (!url.startsWith(pathToFileURL(root).href) || url.includes('/node_modules/')) continue;
    const file = path.relative(root, fileURLToPath(url)).replace('/dist/', '/src/').replace(/\.js$/u, '.ts');
    const names = ran.get(file) ?? new Set();
    ran.set(file, names);
    for (const { functionName, ranges } of functions) {
      if (functionName !== '' && (ranges[0]?.count ?? 0) > 0) names.add(functionName);
    }
  }
  return ran;
}

function stepsAmong(ran: ReadonlyMap<string, ReadonlySet<string>>): Step[] {
  return steps.filter(({ file, functionName }) => ran.get(file)?.has(functionName));
}

describe('the path of an event, as ARCHITECTURE.md lists it', () => {
  it('has at most 26 files in at most 8 folders, none of them visited twice', () => {
    const files = steps.map(({ file }) => file);
    expect(files.length).toBeGreaterThan(mostFolders);
    expect(files.length).toBeLessThanOrEqual(mostFiles);
    expect(new Set(files).size).toBe(files.length);
    const visited = files.map((file) => path.dirname(file)).filter((folder, nth, all) => folder !== all[nth - 1]);
    expect(visited.length).toBeLessThanOrEqual(mostFolders);
    expect(new Set(visited).size).toBe(visited.length);
  });

  it('is all that decides, stores or sends for one event, and runs for nothing else', async () => {
    const directory = await coverageDirectory();
    const settings = {
      NODE_V8_COVERAGE: directory,
      WORKER_ROLES: 'match,deliver',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORTS_ON_SIGNAL)}`,
    };
    const api = setup.installation.start('api', 'API', settings);
    const port = await api.ready();
    const worker = setup.installation.start('worker', 'worker', settings);
    await worker.ready();
    const tenant = await setup.tenant();
    await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url('/in') });
    await Promise.all([api.signal('SIGUSR2'), worker.signal('SIGUSR2')]);
    expect(stepsAmong(await reportedFunctions(directory))).toEqual([]);

    const event = { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'one' } };
    await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events: [event] } });
    await eventually(async () => (await setup.database.prisma.attempt.count()) === 1);
    await Promise.all([api.signal('SIGUSR2'), worker.signal('SIGUSR2')]);
    const ran = await reportedFunctions(directory);
    await Promise.all([api.signal('SIGTERM'), worker.signal('SIGTERM')]);
    expect(stepsAmong(ran)).toEqual(steps);
    const listed = new Set(steps.map(({ file }) => file));
    const others = [...ran].flatMap(([file, names]) => (coveredPackages.test(file) && names.size > 0 ? [file] : []));
    const missing = others.filter((file) => !listed.has(file) && !notListed.some(({ of }) => of.test(file)));
    expect(missing).toEqual([]);
    expect(setup.receiver.count('/in')).toBe(1);
  });
});

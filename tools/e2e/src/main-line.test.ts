import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
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
import { prepareCoverage, type CoverageReports } from './main-line/functions-that-ran.fixture.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const page = path.join(root, 'ARCHITECTURE.md');
const heading = '## The path of an event\n\n';
const mostFiles = 140;
const mostFolders = 43;
const onTheWay = [
  'apps/api/',
  'packages/pipeline/src/ingest',
  'packages/queue/',
  'packages/pipeline/src/match',
  'packages/pipeline/src/hold',
  'packages/pipeline/src/limits',
  'packages/pipeline/src/deliver',
  'packages/outbound/',
  'packages/pipeline/src/settle',
];

const stops: (() => Promise<void>)[] = [];
let setup: CalloutSetup;
let coverage: CoverageReports;

beforeAll(async () => {
  const empty = { name: 'empty', prepare: async () => undefined };
  const [{ url: databaseUrl, drop }, redis] = await Promise.all([createDisposableDatabase(empty), testRedis()]);
  stops.push(drop, redis.cleanUp);
  setup = await prepareCallout({ databaseUrl, redisUrl: redis.url, redisPrefix: redis.prefix, root });
  stops.push(() => setup.stop());
  coverage = await prepareCoverage(root);
  stops.push(() => coverage.remove());
});
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

/** The folders of a list, in the order in which an event comes to them; then the folders that are used on the way. */
function foldersOf(files: readonly string[]): string[] {
  const place = (folder: string) => {
    const index = onTheWay.findIndex((stage) => folder.startsWith(stage));
    return index < 0 ? onTheWay.length : index;
  };
  const folders = new Set(files.map((file) => path.dirname(file)));
  return [...folders].toSorted((a, b) => place(a) - place(b) || a.localeCompare(b));
}

/** The section of ARCHITECTURE.md about some files. */
function sectionOf(files: readonly string[]): string {
  const folders = foldersOf(files);
  const items = folders.map((folder) => {
    const names = files.filter((file) => path.dirname(file) === folder).map((file) => `\`${path.basename(file)}\``);
    return `- \`${folder}\`: ${names.join(', ')}`;
  });
  return [
    'An event runs functions of these files, from the socket of the API until its callout is settled.',
    'The folders stand in the order in which the event comes to them; the folders that are used on the way follow.',
    'Types, constants, and work on timers are not listed.',
    '`WRITE_DOCS=1 npm test -- main-line` writes the list from the coverage of the real processes, and the same test compares it.',
    '',
    `${files.length} files in ${folders.length} folders:`,
    '',
    ...items,
  ].join('\n');
}

/** Prepares an event of a new tenant. @returns a function that reports the event and waits until its callout is settled. */
async function prepareEvent(port: number): Promise<() => Promise<void>> {
  const tenant = await setup.tenant();
  await registerWebhook(port, tenant.integrator, { ...everyCompanyEvent, url: setup.receiver.url(`/${tenant.id}`) });
  return async () => {
    const event = { entityType: 'Account', action: 'Create', id: 1, fields: { companyName: 'one' } };
    await callApi(port, tenant.source, { method: 'POST', path: '/EntityEvents', body: { events: [event] } });
    await eventually(async () => (await setup.database.prisma.attempt.count({ where: { tenantId: tenant.id } })) === 1);
    expect(setup.receiver.count(`/${tenant.id}`)).toBe(1);
  };
}

describe('the path of an event', () => {
  let files: string[];
  beforeAll(async () => {
    const settings = { ...coverage.settings, WORKER_ROLES: 'match,deliver', FAST_WAYS: 'on' };
    const api = setup.installation.start('api', 'API', settings);
    const port = await api.ready();
    const worker = setup.installation.start('worker', 'worker', settings);
    await worker.ready();
    // Loads what a process loads with its first event.
    await (
      await prepareEvent(port)
    )();
    const settleEvent = await prepareEvent(port);
    await coverage.filesThatRan([api, worker]);
    await settleEvent();
    files = await coverage.filesThatRan([api, worker]);
    await Promise.all([api.signal('SIGTERM'), worker.signal('SIGTERM')]);
  });

  it(`has at most ${mostFiles} files in ${mostFolders} folders`, () => {
    expect(files.length).toBeLessThanOrEqual(mostFiles);
    expect(foldersOf(files).length).toBeLessThanOrEqual(mostFolders);
  });

  it('is listed in ARCHITECTURE.md: WRITE_DOCS=1 npm test -- main-line writes it', async () => {
    const text = await readFile(page, 'utf8');
    const [before = '', after = ''] = text.split(heading);
    const section = after.slice(0, after.indexOf('\n\n## '));
    // oxlint-disable-next-line node/no-process-env -- of the person who runs the test
    if (process.env['WRITE_DOCS'] === '1')
      await writeFile(page, `${before}${heading}${sectionOf(files)}${after.slice(section.length)}`);
    else expect(section).toBe(sectionOf(files));
    expect(files).toContain('packages/pipeline/src/match/match.rules.ts');
  });
});

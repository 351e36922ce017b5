import { createServer, request } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listenOnLoopback } from '@callout/local/process';
import { parseOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { isComplete, runTargetBench } from './target-bench.ts';
import { readTarget } from './target-file.ts';
import { renderTargetReport, targetFigures } from './target-report.ts';

let directory: string;
const stops: (() => void)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'callout-target-'));
});

afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await rm(directory, { recursive: true });
});

async function described(target: unknown): Promise<string> {
  const file = path.join(directory, 'target.json');
  await writeFile(file, typeof target === 'string' ? target : JSON.stringify(target));
  return file;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A webhook sender that answers 202 and posts each body on, wrapped; `times` says how often, by number of the request. */
async function startSender(receiverPort: number, times: (nth: number) => number): Promise<number> {
  let nth = 0;
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await buffer(incoming);
      response.writeHead(202).end();
      nth += 1;
      for (let copy = 0; copy < times(nth); copy += 1) {
        const outgoing = request({ port: receiverPort, host: '127.0.0.1', method: 'POST', path: '/any/path' });
        outgoing.on('response', (answer) => answer.resume());
        outgoing.end(JSON.stringify({ wrapped: body.toString() }));
      }
    })();
  });
  const port = await listenOnLoopback(server);
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return port;
}

async function bench(times: (nth: number) => number, callouts = 1) {
  const receiverPort = await freePort();
  const port = await startSender(receiverPort, times);
  const file = await described({
    name: 'a sender',
    request: { url: `http://127.0.0.1:${port}/messages`, body: { id: '{{marker}}', text: '{{filler}}' } },
    receiverPort,
    callouts,
    processes: { sender: { pid: process.pid } },
  });
  const parsed = parseOptions(['--target', file, '--events', '40', '--connections', '4', '--payload', '300']);
  if (parsed.kind !== 'run') throw new Error(`refused: ${JSON.stringify(parsed)}`);
  return runTargetBench(await readTarget(file), parsed.options, {
    env: {},
    programs: builtPrograms(),
    dataDir: directory,
    tell: () => undefined,
    interrupted: new Promise<never>(() => undefined),
  });
}

describe('the benchmark of another sender', () => {
  it('counts what arrives, also wrapped into a body of the sender, and what its processes used', async () => {
    const result = await bench(() => 1);
    expect(isComplete(result)).toBe(true);
    const figures = targetFigures(result);
    expect(figures).toMatchObject({ owed: 40, lost: 0, duplicates: 0, unknown: 0 });
    expect(figures.latencyMs.p50).toBeGreaterThan(0);
    expect(figures.processes[0]).toMatchObject({ name: 'sender', peakBytes: expect.any(Number) });
    expect(renderTargetReport(result)).toMatch(/lost +\| +0 of 40/);
    // The same run, had one of them not come.
    const counts = result.arrivals.counts.map((count, event) => (event === 7 ? 0 : count));
    const without = { ...result, arrivals: { ...result.arrivals, counts } };
    expect(isComplete(without)).toBe(false);
    expect(targetFigures(without)).toMatchObject({ owed: 40, lost: 1, duplicates: 0 });
  });

  it('tells what comes more often than it is owed', async () => {
    const result = await bench((nth) => (nth % 4 === 0 ? 3 : 2), 2);
    expect(isComplete(result)).toBe(true);
    expect(targetFigures(result)).toMatchObject({ owed: 80, lost: 0, duplicates: 10 });
  });
});

describe('the description of a target', () => {
  const good = {
    name: 'a sender',
    request: { url: 'http://127.0.0.1:1/', body: { id: '{{marker}}' } },
    receiverPort: 9700,
  };

  it.each([
    [
      'another machine',
      { ...good, request: { ...good.request, url: 'http://192.0.2.1/' } },
      /request\.url: must be on this machine/,
    ],
    [
      'no marker',
      { ...good, request: { ...good.request, body: {} } },
      /must hold \{\{marker\}\} once, and holds it 0 times/,
    ],
    ['a key that is not known', { ...good, reciverPort: 1 }, /reciverPort/],
    ['no JSON', '{', /is not JSON/],
  ])('is refused with a sentence: %s', async (_, target, sentence) => {
    await expect(readTarget(await described(target))).rejects.toThrow(sentence);
  });

  it('is refused when the file is not there, and with options that do not go with it', async () => {
    await expect(readTarget(path.join(directory, 'none.json'))).rejects.toThrow(/cannot be read: ENOENT/);
    expect(parseOptions(['--target', 'a.json', '--fanout', '3'])).toEqual({
      kind: 'refused',
      problems: ['--target drives another sender, so --fanout cannot go with it'],
    });
  });
});

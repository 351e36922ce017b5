import { createServer, request } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, listenOnLoopback } from '@callout/local/process';
import { optionsOf } from './small-run.fixture.ts';
import { renderTargetResult, runTargetBench } from './target-bench.ts';
import { readTarget } from './target-file.ts';

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
  const target = await readTarget(file);
  const options = optionsOf('--target', file, '--events', '40', '--connections', '4');
  const result = await runTargetBench(target, options, {
    env: {},
    dataDir: directory,
    report: () => undefined,
    interrupted: new Promise<never>(() => undefined),
  });
  return { result, text: renderTargetResult(target, options, result) };
}

describe('the benchmark of another sender', () => {
  it('counts what arrives, also wrapped into a body of the sender, and what its processes used', async () => {
    const { result, text } = await bench(() => 1);
    expect(result).toMatchObject({ owed: 40, lost: 0, duplicates: 0, unknown: 0 });
    expect(result.p50Ms).toBeGreaterThan(0);
    expect(result.processes[0]).toMatchObject({ name: 'sender', peakBytes: expect.any(Number) });
    expect(text).toMatch(/callouts owed +\| +40 \|/);
  });

  it('counts what comes more often than it is owed', async () => {
    const { result } = await bench((nth) => (nth % 4 === 0 ? 3 : 2), 2);
    expect(result).toMatchObject({ owed: 80, lost: 0, duplicates: 10 });
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

  it('is refused when the file is not there', async () => {
    await expect(readTarget(path.join(directory, 'none.json'))).rejects.toThrow(/cannot be read: ENOENT/);
  });
});

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { runCommand } from '../run-command.fixture.ts';
import { runCallout } from '../run.ts';
import { sendJson, stubApi } from './stub-api.fixture.ts';

const runTypescript = path.resolve(import.meta.dirname, '../../../../../tools/testing/jest/run-typescript.js');
const version = { info: {}, apiVersion: '1.0', build: '9' };
const noInput = { async *[Symbol.asyncIterator]() {} };

describe('a response of the API', () => {
  it('is asked for again when it is 429 or 503 and says when', async () => {
    const statuses = [429, 503];
    const api = await stubApi((_request, response) => {
      const status = statuses.shift();
      if (status === undefined) sendJson(response, version);
      else sendJson(response, { errors: ['later'] }, status, { 'Retry-After': '0' });
    });
    expect(await runCommand(['whoami'], api.env)).toMatchObject({ status: 0, stderr: '' });
    expect(api.requests).toHaveLength(5);
  });

  it.each([
    [429, '120', 'Try again in 120 s.'],
    [503, '3600', 'Try again in 3600 s. If that does not help, tell the operator of the installation.'],
  ])('is shown when it is %s and asks for more patience than a person has', async (status, retryAfter, sentence) => {
    const api = await stubApi((_request, response) =>
      sendJson(response, { errors: ['Too much.'] }, status, { 'Retry-After': retryAfter }),
    );
    const ran = await runCommand(['deliveries', 'list'], api.env);
    expect(ran).toEqual({ status: 1, stdout: '', stderr: `Too much.\n${sentence}\n` });
    const forPrograms = await runCommand(['deliveries', 'list', '--json'], api.env);
    expect(forPrograms).toMatchObject({ status: 1, stdout: '' });
    expect(JSON.parse(forPrograms.stderr)).toMatchObject({ errors: ['Too much.', sentence], status });
    expect(api.requests).toHaveLength(2);
  });

  it.each([
    [-3_600_000, 'is 60 minutes ahead of'],
    [3_600_000, 'is 60 minutes behind'],
  ])('whose time is %s ms off reports once that a clock is wrong, and not in JSON', async (off, words) => {
    const api = await stubApi((_request, response) =>
      sendJson(response, version, 200, { Date: new Date(Date.now() + off).toUTCString() }),
    );
    const { stderr } = await runCommand(['whoami'], api.env);
    expect(stderr.split('\n')).toEqual([expect.stringContaining(words), '']);
    expect(await runCommand(['whoami', '--json'], api.env)).toMatchObject({ status: 0, stderr: '' });
    const args = ['login', '--json', '--url', api.url, '--user-name', 'x', '--integration-code', 'y'];
    expect(
      await runCommand([...args, '--secret-env', 'CALLOUT_SECRET'], { ...api.env, XDG_CONFIG_HOME: '/dev/null' }),
    ).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\{"errors":\[.*\]\}\n$/u),
    });
  });

  it('that never ends is not read to its end', async () => {
    const part = Buffer.alloc(1024 * 1024, '0');
    const api = await stubApi((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const send = (): void => {
        while (!response.destroyed && response.write(part));
        response.once('drain', send);
      };
      send();
    });
    for (const args of [['deliveries', 'list'], ['whoami']]) {
      expect(await runCommand(args, api.env)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining('sent an answer of more than 64 MB'),
      });
    }
  });

  it('that breaks off is not blamed on a database', async () => {
    const api = await stubApi((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
      response.write('{"items":', () => response.socket?.resetAndDestroy());
    });
    expect(await runCommand(['deliveries', 'list'], api.env)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'The connection to the API broke off in the middle of an answer. Try again.\n',
    });
  });

  it('reaches a pipe whole, however large it is', async () => {
    const body = 'x'.repeat(3_000_000);
    const api = await stubApi((_request, response) =>
      sendJson(response, { item: { id: 'c1', entityType: 'Account', webhookID: 1, attempts: [], pauses: [], body } }),
    );
    const args = ['-C', 'source', '--import', runTypescript, path.resolve(import.meta.dirname, '../main.ts')];
    const child = spawn(process.execPath, [...args, 'deliveries', 'show', 'c1', '--json'], {
      env: { ...api.env, PATH: path.dirname(process.execPath) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(JSON.parse(await text(child.stdout))).toMatchObject({ webhook: 'CompanyWebhooks/1', body });
  });
});

describe('a command that goes on', () => {
  it('ends when its reader has left', async () => {
    const api = await stubApi((_request, response) => sendJson(response, { items: [] }));
    const leave: ((error: Error) => void)[] = [];
    let written = '';
    const status = runCallout(['deliveries', 'tail'], {
      env: api.env,
      stdin: noInput,
      stdout: { write: () => true, on: (_event, listener) => leave.push(listener) },
      stderr: { write: (part) => (written += part), on: () => undefined },
    });
    await eventually(() => written.includes('Watching'));
    for (const left of leave) left(new Error('write EPIPE'));
    expect(await status).toBe(0);
  });

  it('is ended by a later Ctrl-C when the first one has it wait for the API', async () => {
    let release: (() => void) | undefined;
    const api = await stubApi((request, response) => {
      if (request.method === 'DELETE') release = () => sendJson(response, { itemId: 1 });
      // While it listens there is nothing to fetch yet; the call in the end finds nothing.
      else if (request.url?.endsWith('/Pull') !== true || release !== undefined)
        sendJson(response, { itemId: 1, items: [], item: { signatureKind: 'hmac' } });
    });
    const signals: (() => void)[] = [];
    const exits: number[] = [];
    let written = '';
    const stream = { write: (part: string) => (written += part), on: () => undefined };
    const status = runCallout(['listen', '--forward', 'http://127.0.0.1:1'], {
      env: api.env,
      stdin: noInput,
      stdout: stream,
      stderr: stream,
      on: (event, listener) => event === 'SIGINT' && signals.push(listener),
      exit: (code) => exits.push(code),
    });
    await eventually(() => api.requests.some((one) => one.endsWith('/Pull')));
    for (const stop of signals) stop();
    await eventually(() => api.requests.some((one) => one.startsWith('DELETE')));
    expect(exits).toEqual([]);
    await eventually(() => {
      for (const stop of signals) stop();
      return exits.length > 0;
    });
    expect(exits[0]).toBe(130);
    release?.();
    expect(await status).toBe(0);
    expect(written).toContain('Listening to CompanyWebhooks/1');
  });
});

describe('the message for a wrong command line', () => {
  it('steers no terminal', async () => {
    const { stderr, status } = await runCommand(['a\u001B[2J\u009B']);
    expect(status).toBe(2);
    // oxlint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u001B\u009B]/u);
    expect(stderr).toContain('a·[2J·');
  });

  it('accepts groups of commands in the singular, and no profile for one', async () => {
    const env = { XDG_CONFIG_HOME: '/nonexistent' };
    const ran = await runCommand(['--profile', 'webhook', 'webhook', 'list'], env);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining('callout login --profile webhook') });
    for (const args of [
      ['delivery', 'list'],
      ['admin', 'tenant', 'list', '--help'],
      ['admin', 'delivery', '--help'],
    ]) {
      expect((await runCommand(args, env)).stderr).not.toContain('unknown command');
    }
    expect(await runCommand(['tenant', 'list'], env)).toMatchObject({ status: 2 });
  });
});

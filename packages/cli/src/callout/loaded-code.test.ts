import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const runTypescript = path.resolve(import.meta.dirname, '../../../../tools/testing/jest/run-typescript.js');

/** Writes the address of each module that is loaded to stderr. */
const hooks = `
  import { writeSync } from 'node:fs';
  export async function resolve(name, context, next) {
    const found = await next(name, context);
    writeSync(2, found.url + '\\n');
    return found;
  }`;
const spy = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Runs command lines in one process, each to its end. @returns the modules that were loaded. */
async function loadedFor(lines: readonly (readonly string[])[], env: Record<string, string>): Promise<string[]> {
  const program = `
    const { runCallout } = await import(${JSON.stringify(path.resolve(import.meta.dirname, 'run.ts'))});
    const stream = { write: () => true, on: () => undefined };
    const stdin = { async *[Symbol.asyncIterator]() {} };
    for (const args of ${JSON.stringify(lines)}) {
      const status = await runCallout(args, { env: ${JSON.stringify(env)}, stdin, stdout: stream, stderr: stream });
      console.log(status);
    }`;
  const args = ['-C', 'source', '--import', runTypescript, '--import', dataUrl(spy), '--input-type=module'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args, '-e', program], {
    maxBuffer: 10_000_000,
  });
  expect(stdout.trim().split('\n')).toEqual(lines.map(() => '0'));
  return stderr.split('\n');
}

describe('callout', () => {
  it('loads no code for the database and the queue where a command does without', async () => {
    const api = createServer((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ info: {}, apiVersion: '1.0', build: '0', items: [], nextAfter: null }));
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const loaded = await loadedFor(
      [['--version'], ['--help'], ['admin', 'zones', 'list'], ['completion', 'bash'], ['whoami']],
      {
        CALLOUT_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        OPERATOR_TOKEN: 'x'.repeat(32),
        CALLOUT_OPERATOR_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
        CALLOUT_USER_NAME: 'crm',
        CALLOUT_SECRET: 'secret',
        CALLOUT_INTEGRATION_CODE: 'code',
      },
    );
    api.close();
    api.closeAllConnections();
    expect(loaded.some((url) => url.includes('/node_modules/commander/'))).toBe(true);
    const large = /\/node_modules\/(@prisma|pg|bullmq|ioredis)\/|\/packages\/(db|queue)\//u;
    expect(loaded.filter((url) => large.test(url))).toEqual([]);
  });
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const runTypescript = path.resolve(import.meta.dirname, '../../../../tools/testing/jest/run-typescript.js');
const logger = path.join(import.meta.dirname, 'logger.ts');

const argsFor = (script: string) => [
  '-C',
  'source',
  '--import',
  runTypescript,
  '--input-type=module',
  '--eval',
  script,
];

// In a process of its own: the listener that flushes stdout is added once per process.
it('opens stdout by default, and nothing when it is silent', async () => {
  const script = `
    import { createLogger } from ${JSON.stringify(logger)};
    const listeners = () => process.listenerCount('exit');
    const before = listeners();
    createLogger({ service: 'api', level: 'silent' }).fatal({}, 'unheard');
    const silent = listeners() - before;
    createLogger({ service: 'api', level: 'info' }).info({ added: { silent, info: listeners() - before } }, 'heard');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, argsFor(script));
  expect(stdout).not.toContain('unheard');
  expect(JSON.parse(stdout)).toMatchObject({ msg: 'heard', added: { silent: 0, info: 1 } });
});

it('writes a line that comes while another is being written, though no further line follows', async () => {
  // Reading occupies the only thread for files until the test writes to stdin, and the write of the first line waits.
  const script = `
    import { read } from 'node:fs';
    import { createLogger } from ${JSON.stringify(logger)};
    const log = createLogger({ service: 'api', level: 'info' });
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    read(0, Buffer.alloc(1), 0, 1, null, () => undefined);
    log.info({}, 'first');
    await wait(300);
    log.info({}, 'second');
    await wait(300);
    process.send('both flushes are over');
    await wait(60_000);
    process.kill(process.pid, 'SIGKILL');
  `;
  const child = spawn(process.execPath, argsFor(script), {
    // oxlint-disable-next-line node/no-process-env -- the process needs what this one has
    env: { ...process.env, UV_THREADPOOL_SIZE: '1' },
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('second')) child.kill('SIGKILL');
  });
  await once(child, 'message');
  child.stdin?.write('x');
  await once(child, 'close');
  expect(
    output
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg),
  ).toEqual(['first', 'second']);
});

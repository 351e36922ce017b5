import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const runTypescript = path.resolve(import.meta.dirname, '../../../testing/jest/run-typescript.js');
const logger = path.join(import.meta.dirname, 'logger.ts');

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
  const args = ['-C', 'source', '--import', runTypescript, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).not.toContain('unheard');
  expect(JSON.parse(stdout)).toMatchObject({ msg: 'heard', added: { silent: 0, info: 1 } });
});

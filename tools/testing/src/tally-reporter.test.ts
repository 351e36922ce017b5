import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';

const REPORTER = fileURLToPath(new URL('../jest/tally-reporter.js', import.meta.url));
const JEST = path.join(path.dirname(createRequire(import.meta.url).resolve('jest/package.json')), 'bin/jest.js');
const projects: string[] = [];

afterEach(async () => {
  await Promise.all(projects.splice(0).map((dir) => rm(dir, { recursive: true, force: true })));
});

/** Runs Jest over these test files, with the reporter. */
async function run(files: Record<string, string>, ...args: string[]): Promise<{ code: number; lastLine: string }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-tally-'));
  projects.push(dir);
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(dir, name), content);
  await writeFile(
    path.join(dir, 'jest.config.mjs'),
    `import { printTallyAtExit } from ${JSON.stringify(REPORTER)};
     printTallyAtExit();
     export default { reporters: ['default', ${JSON.stringify(REPORTER)}], transform: {} };`,
  );
  return new Promise((resolve) => {
    // One pipe for both outputs, as CI reads them.
    const command = 'exec "$@" 2>&1';
    execFile('/bin/sh', ['-c', command, 'sh', process.execPath, JEST, ...args], { cwd: dir }, (error, stdout) => {
      resolve({ code: Number(error?.code ?? 0), lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' });
    });
  });
}

describe('the last line of a test run', () => {
  it('counts what passed and what failed over all suites; a suite that does not load is a failure', async () => {
    const outcome = await run({
      'good.test.js':
        "test('late output', () => {}); test('b', () => {}); process.on('exit', () => console.log('late words'));",
      'bad.test.js': "test('c', () => { throw new Error('no'); });",
      'broken.test.js': "require('./nowhere.js');",
      'empty.test.js': '',
    });
    expect(outcome).toEqual({ code: 1, lastLine: '2 passed, 3 failed' });
  });

  it('is a success when everything passed', async () => {
    expect(await run({ 'good.test.js': "test('a', () => {});" })).toEqual({ code: 0, lastLine: '1 passed, 0 failed' });
  });

  it.each([
    ['there is no test file', {}, []],
    ['no file matches', { 'good.test.js': "test('a', () => {});" }, ['nowhere']],
    ['no test matches', { 'good.test.js': "test('a', () => {});" }, ['--testNamePattern', 'nowhere']],
  ])('is a failure when %s', async (_name, files, args) => {
    expect(await run(files, ...args)).toEqual({ code: 1, lastLine: '0 passed, 1 failed' });
  });
});

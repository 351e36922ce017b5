import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'callout-sequencer-'));
});
afterAll(() => rm(dir, { recursive: true }));

/** Run by Node itself: Jest loads no ES modules here. */
const program = `
  import { statSync } from 'node:fs';
  import Sequencer from ${JSON.stringify(path.join(ROOT, 'tools/testing/jest/sequencer.js'))};
  const [cacheDirectory, ...files] = process.argv.slice(1);
  const context = { config: { cacheDirectory, id: 'fresh' }, hasteFS: { getSize: (file) => statSync(file).size } };
  const tests = files.map((path) => ({ path, context }));
  const order = new Sequencer({ contexts: [], globalConfig: {} }).sort(tests).map(({ path }) => path);
  process.stdout.write(JSON.stringify(order));`;

/** The order in which files run in a checkout without Jest's cache. */
async function orderOf(files: readonly string[]): Promise<string[]> {
  const args = ['--input-type=module', '--eval', program, path.join(dir, 'no-cache'), ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as string[];
}

it('runs what starts something first, and counts the suites of a file, where nothing has run yet', async () => {
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const starts = "import { useCallout } from '@callout/testing';\n";
  await write('long.suite.ts', `${starts}// ${'long '.repeat(20)}`);
  const suites = await write('suites.test.ts', "import './long.suite.ts';\n");
  const long = await write('long.test.ts', '// calculates'.repeat(1_000));
  const brief = await write('brief.test.ts', '// calculates');
  const process = await write('process.test.ts', starts);
  expect(await orderOf([brief, long, process, suites])).toEqual([suites, process, long, brief]);
});

it('begins with the files that go on for a good part of a run', async () => {
  const longest = [
    'tools/e2e/src/console/console.test.ts',
    'tools/e2e/src/drill/drill.test.ts',
    'packages/cli/src/start.test.ts',
  ];
  const others = ['tools/e2e/src/secrets.test.ts', 'packages/cli/src/callout/test/integrator-commands.test.ts'];
  const inCheckout = (names: readonly string[]) => names.map((name) => path.join(ROOT, name));
  const order = await orderOf(inCheckout([...others, ...longest]));
  expect(new Set(order.slice(0, longest.length))).toEqual(new Set(inCheckout(longest)));
});

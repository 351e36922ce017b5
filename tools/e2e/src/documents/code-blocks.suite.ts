import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { callApi } from '@callout/testing';
import { callout } from '../one-callout.fixture.ts';
import { codeBlocks, everyPage, root } from './pages.fixture.ts';
import { curlRequest, shellCommands, type CurlRequest } from './shell-commands.fixture.ts';

/**
 * The rule for every block of code in a document: a test runs it, or its opening fence says `illustration`, or it is no
 * program: output without a language, a message of HTTP, data, a file of settings, a statement to adapt.
 */
const PICTURES = new Set(['', 'text', 'http', 'yaml', 'ini', 'sql', 'toml', 'promql', 'diff']);
/** Tests that run the programs of a page, by the page. */
const runBy: Readonly<Record<string, string>> = {
  'docs/testing.md': 'tools/e2e/src/example-in-docs.test.ts',
  'docs/receiving.md': 'tools/e2e/src/receiver-library/readme-examples.suite.ts',
  'docs/send.md': 'tools/e2e/src/documents/send.release.test.ts',
  'docs/signatures.md': 'tools/e2e/src/receiver-library/readme-examples.suite.ts',
  'packages/client/README.md': 'tools/e2e/src/client-library/client.suite.ts',
  'packages/receiver/README.md': 'tools/e2e/src/receiver-library/readme-examples.suite.ts',
};
/** Programs that are not part of Callout, for the reader's machine. */
const OTHER_TOOLS = new Set(
  'cp rm cd cat printf export git docker kubectl helm openssl psql pg_dump pg_restore pg_basebackup redis-cli redis-server jq promtool kill python3 go ruby php java dotnet'.split(
    ' ',
  ),
);
/** Pages whose requests need another catalogue, and so a test of their own. */
const ownCatalogue = new Set(['docs/your-records.md']);
const BASE = 'http://127.0.0.1:8080/atservicesrest/v1.0';

/** Every block of a language, with the place to name in a failure. */
async function blocksOf(isWanted: (language: string) => boolean) {
  return (await everyPage()).flatMap(({ file, text }) =>
    codeBlocks(text)
      .map((block) => ({ ...block, file, place: `${file}:${block.line}`, language: block.info.split(' ')[0] ?? '' }))
      .filter(({ info, language }) => !info.includes('illustration') && isWanted(language)),
  );
}

function isJson(code: string): boolean {
  try {
    JSON.parse(code);
    return true;
  } catch {
    return false;
  }
}

async function commands() {
  const blocks = await blocksOf((language) => language === 'sh');
  return blocks.flatMap(({ code, file, place }) => shellCommands(code).map((command) => ({ ...command, file, place })));
}

describe('every block of code in a document', () => {
  it('that is a program is run by a test of its page', async () => {
    const programs = await blocksOf((language) => !PICTURES.has(language) && language !== 'sh' && language !== 'json');
    expect(programs.length).toBeGreaterThan(5);
    for (const { file, place } of programs) {
      const test = runBy[file];
      if (test === undefined) throw new Error(`${place}: no test runs this; add one, or mark it as an illustration.`);
      const text = await readFile(path.join(root, test), 'utf8');
      expect([place, text.includes(path.posix.basename(file))]).toEqual([place, true]);
    }
  });

  it('that is JSON can be parsed', async () => {
    for (const { code, place } of await blocksOf((language) => language === 'json')) {
      expect([place, isJson(code)]).toEqual([place, true]);
    }
  });

  it('that is shell uses scripts, files and settings that exist', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
    const settings = await readFile(path.join(root, 'docs/configuration.md'), 'utf8');
    const wrong: string[] = [];
    for (const { words, settings: given, place } of await commands()) {
      const [program = '', first = '', second = ''] = words;
      for (const name of given)
        if (/^(DATABASE|REDIS|API|WORKER|SMTP|MAIL|CALLOUT|CONSOLE|RETENTION)_/u.test(name))
          if (!settings.includes(`\`${name}\``) && name !== 'CALLOUT_DATA_DIR')
            wrong.push(`${place}: no setting ${name}`);
      if (program === 'npm') {
        const script = first === 'run' ? second : first;
        // `site.release.test.ts` installs these.
        const isDownload =
          first === 'install' && /\/docs\/downloads\/callout-\w+-[\d.]+\.tgz$/u.test(words.at(-1) ?? '');
        if (script !== 'ci' && !isDownload && !Object.hasOwn(scripts, script))
          wrong.push(`${place}: no script ${script}`);
      } else if (program === 'node') {
        const source = first.replace('/dist/', '/src/').replace(/\.js$/u, '.ts');
        const isKnown =
          first === '-p' || first.startsWith('../') || existsSync(path.join(root, source)) || first === 'receiver.mjs';
        if (!isKnown) wrong.push(`${place}: no file ${first}`);
      } else if (program.startsWith('.ci/')) {
        if (!existsSync(path.join(root, program))) wrong.push(`${place}: no file ${program}`);
      } else if (!['', 'curl', 'npx', 'callout'].includes(program) && !OTHER_TOOLS.has(program))
        wrong.push(`${place}: ${program} is not known; run it in a test, or mark the block as an illustration`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('every request to the API in a document', () => {
  it('is accepted by a running API, with the webhook and the company of the first steps', async () => {
    const requests = (await commands())
      .filter(({ words, file }) => words[0] === 'curl' && !ownCatalogue.has(file))
      .map(({ words, ...place }) => ({ ...place, ...curlRequest(words) }))
      .filter(({ role }) => role !== undefined);
    expect(requests.length).toBeGreaterThan(25);
    const refused: string[] = [];
    for (const file of new Set(requests.map((request) => request.file))) {
      const tenant = await callout.tenant();
      const send = (role: string, { method, url, body }: CurlRequest) =>
        callApi(Number(new URL(callout.url).port), tenant[role as 'integrator' | 'source' | 'admin'], {
          method: method as 'GET',
          path: url.slice(BASE.length),
          ...(body !== undefined && { body: JSON.parse(body) as object }),
        });
      if (file !== 'README.md') {
        const first = requests.filter((request) => request.file === 'README.md').slice(0, 2);
        for (const request of first) await send(request.role ?? '', request);
      }
      for (const request of requests.filter((one) => one.file === file)) {
        const { role = '', method, url, place } = request;
        expect([place, url.startsWith(`${BASE}/`)]).toEqual([place, true]);
        const reply = await send(role, request);
        if (reply.kind !== 'answered' || reply.status >= 300)
          refused.push(`${place}: ${method} ${url} ${JSON.stringify(reply)}`);
      }
    }
    expect(refused).toEqual([]);
  });
});

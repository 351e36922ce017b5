import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useCallout } from '@callout/testing';
import { useBrowser } from '../console/fixtures/browser.ts';
import { everyPage, root } from './pages.fixture.ts';

const callout = useCallout();
const browser = useBrowser();
const run = promisify(execFile);
const dist = path.join(root, 'docs/.vitepress/dist');

// By turbo, which builds nothing where no page has changed since.
beforeAll(async () => {
  const turbo = path.join(root, 'node_modules/turbo/bin/turbo');
  const building = run(process.execPath, [turbo, 'run', '//#docs:build', '//#downloads'], { cwd: root });
  await building.catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
});

describe('the site of the documentation', () => {
  it('has every page of docs/, without inline scripts or files of other hosts', async () => {
    const built = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.html'));
    for (const { file } of await everyPage()) {
      const [, name] = /^docs\/(.+)\.md$/u.exec(file) ?? [];
      if (name !== undefined)
        expect(built).toContain(`${name.replace(/(^|\/)README$/u, '$1index').replace(/\/index$/u, '')}.html`);
    }
    for (const file of built) {
      const html = await readFile(path.join(dist, file), 'utf8');
      expect([
        file,
        html.match(/<script(?![^>]* src="\/docs\/assets\/)[^>]*>|<link[^>]*href="(?!\/docs\/)|\son\w+="/gu),
      ]).toEqual([file, null]);
    }
  });

  it('has no link that leads nowhere, as the API serves it: pages, anchors, files and downloads', async () => {
    const texts = new Map<string, string>();
    const broken: string[] = [];
    const links: (readonly [from: string, to: URL])[] = [['', new URL('/docs', callout.url)]];
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      const [from, to] = link;
      const isRead = texts.has(to.pathname);
      if (!isRead) {
        const answer = await fetch(to);
        const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
        texts.set(to.pathname, isPage ? await answer.text() : '');
        if (!answer.ok) broken.push(`${from} -> ${to.pathname}: ${answer.status}`);
      }
      const text = texts.get(to.pathname) ?? '';
      const anchor = decodeURIComponent(to.hash.slice(1));
      if (text !== '' && anchor !== '' && !text.includes(`id="${anchor}"`))
        broken.push(`${from} -> ${to.pathname}#${anchor}`);
      if (isRead || to.pathname === '/docs/api') continue;
      for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]+)"/gu)) {
        const next = new URL(href.replaceAll('&amp;', '&'), to);
        if (next.origin === callout.url) links.push([to.pathname, next]);
      }
    }
    expect(broken).toEqual([]);
    expect(texts.size).toBeGreaterThan(60);
    expect([...texts.keys()]).toEqual(expect.arrayContaining(['/docs/api', '/docs/downloads/examples/go/receiver.go']));
  });

  it('is read, searched and followed in a browser, which asks no other host and refuses nothing', async () => {
    const page = await browser.page();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(callout.url)) faults.push(request.url());
    });
    await page.goto(`${callout.url}/docs`);
    await page.getByRole('heading', { name: 'Callout documentation', level: 1 }).waitFor();
    // The page is there before its script is, and a click before that opens no search.
    await page.waitForFunction(`'__vue_app__' in (document.querySelector('#app') ?? {})`);
    await page.getByRole('link', { name: 'Concepts' }).first().click();
    await page.getByRole('heading', { name: 'Concepts', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs/concepts');

    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('threshold');
    await page
      .getByRole('option', { name: /Thresholds/u })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Thresholds', level: 1 }).waitFor();
    expect(faults).toEqual([]);

    await page.getByRole('link', { name: 'API reference' }).first().click();
    await page.waitForURL(`${callout.url}/docs/api`);
    await page.getByText('The first webhook').first().waitFor();
  });
});

describe('what can be downloaded', () => {
  let directory: string;
  let version: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'callout-downloaded-'));
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
    ({ version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string });
  });
  afterAll(() => rm(directory, { recursive: true }));

  const download = (name: string) => `${callout.url}/docs/downloads/${name}`;
  const npm = (command: string, ...args: readonly string[]) =>
    // Not with the credentials of the developer who runs the tests.
    run('env', [`XDG_CONFIG_HOME=${directory}`, 'npm', command, '--no-audit', '--no-fund', '--yes', ...args], {
      cwd: directory,
    });

  it('is named with its version in every document', async () => {
    const named = /callout-(?:receiver|client|cli)-([\d.]+)\.tgz/gu;
    for (const { file, text } of await everyPage())
      for (const [, found] of text.matchAll(named)) expect([file, found]).toEqual([file, version]);
  });

  it('has the library for receivers, which verifies what was signed', async () => {
    await npm('install', download(`callout-receiver-${version}.tgz`));
    const program = `
      import { createHmac } from 'node:crypto';
      import { verify } from '@callout/receiver';
      const [body, secret, timestamp] = [Buffer.from('{}'), 'a secret of the receiver', String(Math.floor(Date.now() / 1000))];
      const signature = createHmac('sha256', secret).update(\`id.\${timestamp}.{}\`).digest('base64');
      const headers = { 'webhook-id': 'id', 'webhook-timestamp': timestamp, 'webhook-signature': \`v1,\${signature}\` };
      // A signed body is read, and is no callout; the same signature with another body is refused before.
      for (const given of [body, Buffer.from('{ }')])
        console.log(await verify(given, headers, secret).catch(({ code }) => code));
    `;
    await writeFile(path.join(directory, 'receiver.js'), program);
    const { stdout } = await run(process.execPath, ['receiver.js'], { cwd: directory });
    expect(stdout).toMatch(/^malformed_body\n\w*signature\w*\n$/u);
  });

  it('has the command line, which npx runs as it is and which leaves administration to the installation', async () => {
    const cli = download(`callout-cli-${version}.tgz`);
    expect((await npm('exec', '--', cli, '--version')).stdout).toBe(`${version}\n`);
    await expect(npm('exec', '--', cli, 'webhooks', 'list')).rejects.toMatchObject({
      code: 3,
      stderr: expect.stringContaining('callout login'),
    });
    await expect(npm('exec', '--', cli, 'admin', 'tenants', 'list')).rejects.toMatchObject({
      stderr: expect.stringContaining('part of the installation'),
    });
  });

  it('is kept by a browser as the file that it is', async () => {
    const of = async (name: string) => {
      const { headers, status } = await fetch(download(name));
      return [status, headers.get('content-type'), headers.get('content-disposition')];
    };
    expect(await of(`callout-client-${version}.tgz`)).toEqual([
      200,
      'application/gzip',
      `attachment; filename="callout-client-${version}.tgz"`,
    ]);
    expect(await of('examples/typescript-express/receiver.ts')).toEqual([
      200,
      'text/plain; charset=utf-8',
      'attachment; filename="receiver.ts"',
    ]);
    expect((await fetch(download('none.tgz'))).status).toBe(404);
    expect((await fetch(download('..%2fdist%2findex.html'))).status).toBe(404);
  });
});

describe('a library that is packed without having been built', () => {
  it('is built first', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(root, 'packages/receiver/package.json'), 'utf8')) as {
      scripts: { prepack: string };
    };
    expect(scripts.prepack).toContain('tsc -b');
    const pack = await run('npm', ['pack', '--dry-run', '--json'], { cwd: path.join(root, 'packages/receiver') });
    const [packed] = JSON.parse(pack.stdout) as { files: { path: string }[] }[];
    expect(packed?.files.map((file) => file.path)).toContain('dist/index.js');
  });
});

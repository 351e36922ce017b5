import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useCallout } from '@callout/testing';
import { useBrowser } from '../console/fixtures/browser.ts';
import { everyPage, root } from './pages.fixture.ts';

const callout = useCallout();
const browser = useBrowser();
const dist = path.join(root, 'docs/.vitepress/dist');

// By turbo, which builds nothing where no page has changed since.
beforeAll(async () => {
  const turbo = path.join(root, 'node_modules/turbo/bin/turbo');
  const building = promisify(execFile)(process.execPath, [turbo, 'run', '//#docs:build'], { cwd: root });
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

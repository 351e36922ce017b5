import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { anchors, everyPage, prose, root, type Page } from './pages.fixture.ts';

/** The links of a page to a file or a heading of the repository, with their errors. */
function brokenLinks(page: Page, pages: ReadonlyMap<string, Page>): string[] {
  const broken: string[] = [];
  for (const [, target = ''] of prose(page.text).matchAll(/\]\(([^)\s]+)\)/gu)) {
    // Downloads are made with the site: site.release.test.ts follows them.
    if (/^[a-z]+:|^\/downloads\//u.test(target)) continue;
    const [to = '', anchor] = target.split('#');
    const file = to === '' ? page.file : path.posix.join(path.posix.dirname(page.file), to);
    if (!existsSync(path.join(root, file))) broken.push(`${page.file}: ${target} does not exist`);
    else if (anchor !== undefined && !anchors(pages.get(file)?.text ?? '').has(anchor))
      broken.push(`${page.file}: ${target} has no such heading`);
  }
  return broken;
}

it('every link in a document leads to a file and a heading that exist', async () => {
  const pages = new Map((await everyPage()).map((page) => [page.file, page]));
  expect(pages.size).toBeGreaterThan(20);
  expect([...pages.values()].flatMap((page) => brokenLinks(page, pages))).toEqual([]);
});

it('every file of the sources that a document names exists', async () => {
  const named = (await everyPage()).flatMap(({ file, text }) =>
    // What has a star or a placeholder names several files.
    [...text.matchAll(/`((?:apps|packages|prisma)\/[^`\s*<]+)`/gu)].map(([, name = '']) => `${file}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((one) => !existsSync(path.join(root, one.split(': ')[1] ?? '')))).toEqual([]);
});

it('docs/README.md lists every page beside it', async () => {
  const pages = await everyPage();
  const index = pages.find(({ file }) => file === 'docs/README.md')?.text ?? '';
  const unlisted = pages
    .map(({ file }) => /^docs\/([^/]+\.md)$/u.exec(file)?.[1])
    .filter((name) => name !== undefined && name !== 'README.md' && !index.includes(`](${name})`));
  expect(unlisted).toEqual([]);
});

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentPage } from './event-pages.ts';
import { generatedPages } from './pages.ts';

const docs = path.resolve(import.meta.dirname, '../../../../docs');

let pages: readonly DocumentPage[];
beforeAll(async () => {
  pages = await generatedPages();
});

/** Without differences of format, which `npm run check` covers. */
function contentOf(file: string, text: string): unknown {
  if (file.endsWith('.json')) return JSON.parse(text);
  return text
    .replaceAll(/-{3,}/gu, '---')
    .replaceAll(/[ \n]+/gu, ' ')
    .trim();
}

describe('the pages that are generated', () => {
  it('are those in docs/: run "npm run docs" when this fails', async () => {
    for (const { file, text } of pages) {
      const committed = await readFile(path.join(docs, file), 'utf8');
      expect({ file, content: contentOf(file, committed) }).toEqual({ file, content: contentOf(file, text) });
    }
  });

  it('are a page for each entity that webhooks can watch, and no other', async () => {
    const files = pages.map(({ file }) => file).filter((file) => file.startsWith('events/'));
    expect((await readdir(path.join(docs, 'events'))).map((name) => `events/${name}`).toSorted()).toEqual(
      files.toSorted(),
    );
    const companies = pages.find(({ file }) => file === 'events/companies.md')?.text ?? '';
    expect(companies).toContain('"EntityType": "Account"');
    expect(companies).toMatch(/\| `phone` \| \d+ \| string, up to 25 \| {2}\| [A-Z].*\. \|/u);
    expect(companies).toMatch(/\| `isActive` \| \d+ \| boolean \| `true` \| Whether the company is active\. \|/u);
    // The same callout in two formats.
    expect(companies.match(/^```json$/gmu)).toHaveLength(2);
  });

  it('say of every code what it means and what to do', () => {
    const errors = pages.find(({ file }) => file === 'errors.md');
    for (const code of ['required', 'forbidden', 'conflict', 'methodNotAllowed', 'unavailable'])
      expect(errors?.text).toMatch(new RegExp(`\\| \`${code}\` \\| \\d{3} \\| [A-Z].*\\. \\| [A-Z].*\\. \\|`, 'u'));
  });
});

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { format } from 'prettier';
import { generatedPages } from './pages.ts';

const docs = path.resolve(import.meta.dirname, '../../../../docs');

describe('the pages that are generated', () => {
  it('are those in docs/: run "npm run docs" when this fails', async () => {
    const options = JSON.parse(await readFile(path.join(docs, '../.prettierrc.json'), 'utf8')) as object;
    for (const { file, text } of await generatedPages()) {
      const parser = file.endsWith('.md') ? 'markdown' : 'json';
      expect(await readFile(path.join(docs, file), 'utf8')).toBe(await format(text, { ...options, parser }));
    }
  });

  it('are a page for each entity that webhooks can watch, and no other', async () => {
    const pages = await generatedPages();
    const files = pages.map(({ file }) => file).filter((file) => file.startsWith('events/'));
    expect((await readdir(path.join(docs, 'events'))).map((name) => `events/${name}`).toSorted()).toEqual(
      files.toSorted(),
    );
    const companies = pages.find(({ file }) => file === 'events/companies.md')?.text ?? '';
    expect(companies).toContain('"EntityType": "Account"');
    expect(companies).toMatch(/\| `phone` \| \d+ \| string, up to 25 \| [A-Z].*\. \|/u);
    expect(companies.match(/^```json$/gmu)).toHaveLength(3);
  });

  it('say of every code what it means and what to do', async () => {
    const errors = (await generatedPages()).find(({ file }) => file === 'errors.md');
    for (const code of ['required', 'forbidden', 'conflict', 'methodNotAllowed', 'unavailable'])
      expect(errors?.text).toMatch(new RegExp(`\\| \`${code}\` \\| \\d{3} \\| [A-Z].*\\. \\| [A-Z].*\\. \\|`, 'u'));
  });
});

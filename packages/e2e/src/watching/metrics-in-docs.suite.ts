import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { declaredNames, scraped } from './scraped.fixture.ts';

const own = /^callout_/;

/** The names in the first column of the tables of a section of docs/watching.md. */
async function documented(...sections: string[]): Promise<string[]> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../../../docs/watching.md'), 'utf8');
  const chosen = page.split(/^## /m).filter((section) => sections.some((title) => section.startsWith(`${title}\n`)));
  expect(chosen).toHaveLength(sections.length);
  return [...chosen.join('').matchAll(/^\| `(callout_\w+)`/gm)].map(([, name = '']) => name);
}

describe('docs/watching.md lists', () => {
  it('each metric of a worker, and no other', async () => {
    const names = declaredNames(scraped.worker).filter((name) => own.test(name));
    expect(names.toSorted()).toEqual(
      (await documented('The backlog', 'What a worker does', 'What both report')).toSorted(),
    );
  });

  it('each metric of an API process, and no other', async () => {
    const names = declaredNames(scraped.api).filter((name) => own.test(name));
    expect(names.toSorted()).toEqual((await documented('What an API process does', 'What both report')).toSorted());
  });
});

describe('metrics', () => {
  it('have a help, a unit or a plain count as conventions have it, and labels with few values', () => {
    for (const text of [scraped.api, scraped.worker]) {
      for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
        expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'));
        if (own.test(name)) expect(name.endsWith('_total')).toBe(type === 'counter');
      }
      // Nothing of the one tenant, its webhook and its receiver is a label.
      expect(text).not.toMatch(/(tenant|webhook|host|url|record)\w*="/);
    }
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { metricsPage } from './metrics-page.fixture.ts';
import { declaredNames, scraped } from './scraped.fixture.ts';

const docs = path.resolve(import.meta.dirname, '../../../../docs');

describe('docs/metrics.md', () => {
  it('has what API and worker declare: WRITE_DOCS=1 npm test -- one-callout writes it', async () => {
    const page = path.join(docs, 'metrics.md');
    const text = metricsPage(scraped);
    // oxlint-disable-next-line node/no-process-env -- a run of tests has no main.ts that could hand it down
    if (process.env['WRITE_DOCS'] === '1') await writeFile(page, text);
    expect(await readFile(page, 'utf8')).toBe(text);
  });
});

describe('docs/watching.md', () => {
  it('names no metric that does not exist', async () => {
    const page = await readFile(path.join(docs, 'watching.md'), 'utf8');
    const names = new Set([scraped.api, scraped.worker].flatMap(declaredNames));
    const named = [...page.matchAll(/`(callout_\w+)/gu)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('metrics', () => {
  it('have a help, a unit or a plain count as conventions have it, and labels with few values', () => {
    for (const text of [scraped.api, scraped.worker]) {
      for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
        expect(text).toMatch(new RegExp(`^# HELP ${name} \\S`, 'm'));
        if (name.startsWith('callout_')) expect(name.endsWith('_total')).toBe(type === 'counter');
      }
      // Nothing of the one tenant, its webhook and its receiver is a label.
      expect(text).not.toMatch(/(tenant|webhook|host|url|record)\w*="/);
    }
  });
});

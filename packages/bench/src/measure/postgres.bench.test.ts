import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { startPostgres } from '@callout/local/postgres';
import { observePostgres } from './postgres.ts';

it('does not count the statements of the benchmark itself', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-bench-'));
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const { url, stop } = await startPostgres({ dataDir, settings });
  const stops: (() => Promise<void>)[] = [];
  try {
    const postgres = await observePostgres(url, (end) => void stops.push(end));
    const before = await postgres.counters();
    await postgres.tableBytes();
    expect((await postgres.counters()).statements).toBe(before.statements);
  } finally {
    for (const end of stops) await end();
    await stop();
    await rm(dataDir, { recursive: true });
  }
});

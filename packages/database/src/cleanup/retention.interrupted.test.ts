import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { type Database } from '../connection/database.ts';
import { lowestIdAt } from '../schema/ids.ts';
import { dayMs, ensurePartitions } from '../schema/partitions.ts';
import { dropOldPartitions, type RetentionResult } from './retention.ts';
import { useDatabase } from '../fixtures/own-database.ts';

const database = useDatabase(createDisposableDatabase);
let pool: Database['pool'];
const day = new Date(Math.floor(Date.now() / dayMs) * dayMs);
const digits = day.toISOString().slice(0, 10).replaceAll('-', '');
const inDays = (days: number) => new Date(day.getTime() + days * dayMs + 3_600_000);
const gate = `callouts_${digits}`;
const ofDay = [`callout_bodies_${digits}`, `attempts_${digits}`, gate];
/** Retention of callouts only: no other table is near its end. */
const retention = (callouts: number) => ({ callouts, events: 0, errorLogs: 0 });

beforeAll(async () => {
  ({ pool } = database);
});
beforeEach(async () => {
  await pool.query('TRUNCATE open_callouts');
  await ensurePartitions(pool, day);
  // The earlier days are dropped first, so that only this one is left.
  await dropOldPartitions(pool, retention(30), { now: inDays(30) });
});

async function stateOfGate(): Promise<'gone' | 'attached' | 'detaching' | 'detached'> {
  const { rows } = await pool.query<{ state: 'attached' | 'detaching' | 'detached' }>(
    `SELECT CASE WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching' ELSE 'attached' END AS state
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relname = $1`,
    [gate],
  );
  return rows[0]?.state ?? 'gone';
}

async function openOneOfDay(): Promise<void> {
  await pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
     VALUES ($1, 1, 1, 'Account', 1, 'Update', 1, 'due', now())`,
    [lowestIdAt(new Date(day.getTime() + 1000))],
  );
}

/** Kills the process that drops while it waits for a reader. */
async function killWhileDetaching(): Promise<void> {
  const reader = await pool.connect();
  await reader.query('BEGIN');
  await reader.query('SELECT count(*) FROM callouts');
  const dropped = dropOldPartitions(pool, retention(30), { now: inDays(31) }).catch((error: unknown) => error);
  while ((await stateOfGate()) !== 'detaching') await sleep(5);
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE 'ALTER TABLE "callouts" DETACH%' AND pid <> pg_backend_pid()`,
  );
  expect(await dropped).toBeInstanceOf(Error);
  await reader.query('COMMIT');
  reader.release();
}

const tables = ({ dropped, kept, postponed }: RetentionResult) => ({ dropped, kept, postponed });

describe('an interrupted round of retention', () => {
  it('while it detached is completed by the next, also when the retention is longer by then', async () => {
    await killWhileDetaching();
    expect(await stateOfGate()).toBe('detaching');
    const next = await dropOldPartitions(pool, retention(90), { now: inDays(31) });
    expect(next && tables(next)).toEqual({ dropped: ofDay, kept: [], postponed: [] });
    expect(await stateOfGate()).toBe('gone');
  });

  it('while it detached does not drop a day of which a callout was reopened meanwhile', async () => {
    await killWhileDetaching();
    await openOneOfDay();
    const next = await dropOldPartitions(pool, retention(30), { now: inDays(31) });
    const kept = [{ partition: gate, because: ['1 × open callout'] }];
    expect(next && tables(next)).toEqual({ dropped: [], kept, postponed: [] });
    expect(await stateOfGate()).toBe('attached');
  });

  it.each([[1], [2], [3]])('after it had detached %d of three tables is completed by the next', async (detached) => {
    for (const name of [gate, ...ofDay].slice(0, detached)) {
      await pool.query(`ALTER TABLE "${name.slice(0, -9)}" DETACH PARTITION "${name}"`);
    }
    expect(await stateOfGate()).toBe('detached');
    const next = await dropOldPartitions(pool, retention(90), { now: inDays(31) });
    expect(next && tables(next)).toEqual({ dropped: ofDay, kept: [], postponed: [] });
  });

  it('before it dropped a table that a backup reads is continued without waiting for that', async () => {
    await pool.query(`ALTER TABLE callouts DETACH PARTITION "${gate}"`);
    const backup = await pool.connect();
    await backup.query('BEGIN');
    await backup.query(`LOCK TABLE "${gate}" IN ACCESS SHARE MODE`);
    const next = await dropOldPartitions(pool, retention(30), { now: inDays(32) });
    const dayAfter = inDays(1).toISOString().slice(0, 10).replaceAll('-', '');
    const others = ['callout_bodies', 'attempts', 'callouts'].map((table) => `${table}_${dayAfter}`);
    expect(next && tables(next)).toEqual({ dropped: [...ofDay.slice(0, 2), ...others], kept: [], postponed: [gate] });
    await backup.query('COMMIT');
    backup.release();
    const last = await dropOldPartitions(pool, retention(30), { now: inDays(31) });
    expect(last && tables(last)).toEqual({ dropped: [gate], kept: [], postponed: [] });
  });

  it('after it had dropped the first table is completed by the next', async () => {
    await pool.query(`ALTER TABLE callouts DETACH PARTITION "${gate}"`);
    await pool.query(`DROP TABLE "callout_bodies_${digits}"`);
    const next = await dropOldPartitions(pool, retention(90), { now: inDays(31) });
    expect(next && tables(next)).toEqual({ dropped: ofDay.slice(1), kept: [], postponed: [] });
  });
});

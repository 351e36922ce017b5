import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it, jest } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { Database } from '../database.ts';
import { isDatabaseAway } from '../database-away.ts';
import type { SharedTransaction } from './shared-transaction.ts';
import { statement } from '../statement/statement.ts';
import { useDatabase } from '../../fixtures/own-database.ts';

const database: Database = useDatabase(createDisposableDatabase);

const rename = statement('test_shared_rename', 'UPDATE zones SET web_url = $2 WHERE name = $1');
const webUrl = statement<{ webUrl: string }>(
  'test_shared_read',
  'SELECT web_url AS "webUrl" FROM zones WHERE name = $1',
);
const zone = (name: string) => ({ data: { name, url: '', webUrl: 'model' } });
const stored = async (name: string) => (await database.prisma.zone.findUnique({ where: { name } }))?.webUrl;

const pids = async ({ models, sets }: SharedTransaction) => {
  const [model] = await models.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const { rows } = await sets.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return [model?.pid, rows[0]?.pid];
};

describe('a transaction of models and statements', () => {
  it('has one connection, on which each sees the changes of the other, and commits both', async () => {
    await database.transaction(null, async (transaction) => {
      const { models, sets } = transaction;
      const [model, statements] = await pids(transaction);
      expect(model).toBe(statements);
      await models.zone.create(zone('both'));
      expect(await webUrl(sets, ['both'])).toEqual([{ webUrl: 'model' }]);
      await rename(sets, ['both', 'statement']);
      expect(await models.zone.findUnique({ where: { name: 'both' } })).toMatchObject({ webUrl: 'statement' });
      expect(await stored('both')).toBeUndefined();
    });
    expect(await stored('both')).toBe('statement');
  });

  it('does not make Node track promises afterwards, which would slow down every later request', async () => {
    const used = jest.spyOn(AsyncLocalStorage.prototype, 'run');
    const ended = jest.spyOn(AsyncLocalStorage.prototype, 'disable');
    const create = (number: number) =>
      database.transaction(null, ({ models }) => models.zone.create(zone(`followed ${number}`)));
    await Promise.all([create(1), create(2)]);
    await expect(create(2)).rejects.toThrow('Unique constraint');
    const [storage] = used.mock.contexts;
    expect(used.mock.contexts).toEqual([storage, storage, storage]);
    expect(ended.mock.contexts).toContain(storage);
    expect(ended.mock.invocationCallOrder.at(-1)).toBeGreaterThan(used.mock.invocationCallOrder.at(-1) ?? 0);
  });

  it('rolls both back when the work throws, and rethrows its error', async () => {
    const error = new Error('no');
    const failing = database.transaction(null, async ({ models, sets }) => {
      await models.zone.create(zone('thrown'));
      await rename(sets, ['thrown', 'statement']);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(await stored('thrown')).toBeUndefined();
  });

  it.each<[string, (transaction: SharedTransaction) => Promise<unknown>]>([
    ['a statement', ({ sets }) => sets.query('SELECT 1 / 0')],
    ['a model', ({ models }) => models.zone.create(zone('swallowed'))],
  ])('commits nothing when %s failed and its error was swallowed', async (_, fail) => {
    const failing = database.transaction(null, async (transaction) => {
      await transaction.models.zone.create(zone('swallowed'));
      await fail(transaction).catch(() => undefined);
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await stored('swallowed')).toBeUndefined();
  });

  it('separates concurrent transactions from each other, and from plain reads', async () => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const meet = meeting(names.length);
    const seen = await Promise.all(
      names.map((name) =>
        database.transaction(null, async ({ models, sets }) => {
          await models.zone.create(zone(name));
          await rename(sets, [name, `of ${name}`]);
          await meet();
          const found = await Promise.all(names.map((other) => models.zone.findUnique({ where: { name: other } })));
          const outside = await stored(name);
          await meet();
          return [...found.map((one) => one?.webUrl), outside].filter((one) => one !== undefined);
        }),
      ),
    );
    expect(seen).toEqual(names.map((name) => [`of ${name}`]));
    expect(await Promise.all(names.map(stored))).toEqual(names.map((name) => `of ${name}`));
  });

  it('plans as statements on sets need it, and leaves the connection unchanged', async () => {
    const mode = `SELECT current_setting('plan_cache_mode') AS mode, current_setting('enable_seqscan') AS scans`;
    await database.transaction(null, async ({ sets }) => {
      expect((await sets.query(mode)).rows).toEqual([{ mode: 'force_generic_plan', scans: 'off' }]);
    });
    expect(await database.prisma.$queryRawUnsafe(mode)).toEqual([{ mode: 'auto', scans: 'on' }]);
  });

  it('fails like an unavailable database when its connection breaks, and the next one gets another', async () => {
    const broken = database.transaction(null, async (transaction) => {
      const [pid] = await pids(transaction);
      await database.pool.query('SELECT pg_terminate_backend($1)', [pid]);
      await transaction.models.zone.create(zone('broken'));
    });
    const error: unknown = await broken.catch((cause: unknown) => cause);
    expect(isDatabaseAway(error)).toBe(true);
    await database.transaction(null, ({ models }) => models.zone.create(zone('after')));
    expect([await stored('broken'), await stored('after')]).toEqual([undefined, 'model']);
  });
});

/** A reusable barrier: the callers continue once `size` of them have arrived. */
function meeting(size: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === size) for (const go of waiting.splice(0)) go();
    });
}

import { expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { earlierNow } from './clock.ts';
import { useDatabase } from '../fixtures/own-database.ts';

const database = useDatabase(createDisposableDatabase);

it('a clock that is ahead of the database is ignored, one that is behind is used', async () => {
  const hourMs = 3_600_000;
  const ahead = new Date(Date.now() + hourMs);
  const behind = new Date(Date.now() - hourMs);
  expect((await earlierNow(database.pool, ahead)).getTime()).toBeLessThan(ahead.getTime());
  expect(await earlierNow(database.pool, behind)).toEqual(behind);
});

import { once } from 'node:events';
import { expect, it } from '@jest/globals';
import { createTimeLimits } from './mail.ts';

it('time limits end all work when everything stops, and keep nothing of finished work', () => {
  const limits = createTimeLimits(60_000);
  const [ended, underWay] = [limits.begin(), limits.begin()];
  ended.end();
  limits.stop();
  const later = limits.begin();
  expect([ended, underWay, later].map(({ signal }) => signal.aborted)).toEqual([false, true, true]);
  expect([underWay.isOver(), limits.isStopping()]).toEqual([false, true]);
  for (const one of [underWay, later]) one.end();
});

it('time limits end work that takes too long', async () => {
  const limits = createTimeLimits(5);
  const limit = limits.begin();
  // The timer of a limit keeps no process alive.
  const alive = setTimeout(() => undefined, 60_000);
  await once(limit.signal, 'abort');
  clearTimeout(alive);
  expect([limit.isOver(), limits.isStopping()]).toEqual([true, false]);
  limit.end();
});

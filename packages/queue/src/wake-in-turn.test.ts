import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sharedRedis } from '@callout/local/test-run';
import { createConsumer } from './consumer.ts';
import { createProducer, type Producer } from './producer.ts';
import { createTurns } from './turns.ts';
import { createWakeInTurn } from './wake-in-turn.ts';

/** What is woken, in place of Redis. */
function recorded() {
  const calls: { job: unknown; turn: number | undefined }[] = [];
  const wake: Producer['wake'] = (_name, job, turn) => void calls.push({ job, turn });
  return {
    calls,
    wakeInTurn: createWakeInTurn(
      { wake },
      createTurns(() => 0),
    ),
  };
}

const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);

describe('waking in turn', () => {
  it('names the events of tenants with the same turn in one call, in their order', () => {
    const { calls, wakeInTurn } = recorded();
    wakeInTurn(['a1', 'b1', 'a2', 'c1'], [1, 2, 1, 3]);
    expect(calls).toEqual([{ job: { eventIds: ['a1', 'a2', 'b1', 'c1'] }, turn: 1 }]);
  });

  it('names what a tenant sends in bulk in a call of its own, with a later turn', () => {
    const { calls, wakeInTurn } = recorded();
    const bulk = many('a', 150);
    wakeInTurn(['b1', ...bulk, 'c1'], [2, ...bulk.map(() => 1), 3]);
    expect(calls).toEqual([
      { job: { eventIds: ['b1', 'c1'] }, turn: 1 },
      { job: { eventIds: bulk }, turn: 2 },
    ]);
  });
});

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await fact())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('jobs with turns', () => {
  it('are worked on in the order of their turns, all of them, and count as waiting until then', async () => {
    const { url } = await sharedRedis();
    const redis = { url, prefix: `callout_test_${randomUUID()}`, onError: () => undefined };
    const producer = createProducer(redis);
    await until(() => producer.isReady());
    const put = async (eventId: string, turn?: number) => {
      const before = (await producer.waiting('match')) ?? 0;
      producer.wake('match', { eventIds: [eventId] }, turn);
      await until(async () => (await producer.waiting('match')) === before + 1);
    };
    for (const n of [1, 2, 3]) await put(`much ${n}`, 9);
    for (const n of [1, 2]) await put(`more ${n}`, 10);
    for (const n of [1, 2]) await put(`little ${n}`, 4);
    // As a producer of an earlier version puts them.
    await put('without', 0);
    expect(await producer.waiting('match')).toBe(8);
    const received: [string | undefined, number][] = [];
    const work = async ({ eventIds }: { eventIds: string[] }, turn: number) => void received.push([eventIds[0], turn]);
    const consumer = createConsumer({ ...redis, name: 'match', concurrency: 1, work, onFailed: () => undefined });
    await until(() => received.length === 8);
    expect(received).toEqual([
      ['without', 0],
      ['little 1', 4],
      ['little 2', 4],
      ['much 1', 9],
      ['much 2', 9],
      ['much 3', 9],
      ['more 1', 10],
      ['more 2', 10],
    ]);
    expect(await producer.waiting('match')).toBe(0);
    await consumer.close();
    await producer.close();
  });

  it('do not become one job when they are woken at the same time', async () => {
    const { url } = await sharedRedis();
    const producer = createProducer({ url, prefix: `callout_test_${randomUUID()}`, onError: () => undefined });
    await until(() => producer.isReady());
    for (const turn of [4, 5, 4, 5, 4]) producer.wake('match', { eventIds: [randomUUID()] }, turn);
    await until(async () => ((await producer.waiting('match')) ?? 0) > 1);
    expect(await producer.waiting('match')).toBe(2);
    await producer.close();
  });
});

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startRedis } from '@callout/local/redis';
import { sharedRedis } from '@callout/local/test-run';
import { eventually } from '@callout/testing';
import { createProducer } from '../producer.ts';
import { startRedisFacade } from './redis-facade.fixture.ts';
import { refusalOf } from './refusals.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A producer before a Redis that answers writes with an error for as long as there is one. */
async function producerBefore(redis: { error: string | null }) {
  const url = new URL((await sharedRedis()).url);
  const facade = await startRedisFacade({
    upstreamPort: Number(url.port),
    answer: ([command = '']) =>
      redis.error !== null && ['set', 'zadd', 'evalsha'].includes(command.toLowerCase())
        ? `return redis.error_reply('${redis.error}')`
        : undefined,
  });
  closing.push(() => facade.stop());
  url.port = String(facade.port);
  const producer = createProducer({ url: url.href, prefix: `callout_test_${randomUUID()}`, onError: () => undefined });
  closing.push(() => producer.close());
  return producer;
}

describe('a Redis that answers and cannot be written', () => {
  it.each([
    ['READONLY', "READONLY You can''t write against a read only replica.", /read-only replica.*REPLICAOF NO ONE/],
    ['OOM', "OOM command not allowed when used memory > ''maxmemory''.", /memory is full\. Raise maxmemory/],
    ['MISCONF', 'MISCONF Redis is configured to save RDB snapshots', /cannot save to its disk/],
    ['NOREPLICAS', 'NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write/],
    ['NOPERM', "NOPERM this user has no permissions to run the ''set'' command", /lacks a permission/],
    ['BUSY', 'BUSY Redis is busy running a script.', /answers BUSY/],
  ])('is named with its remedy: %s', async (reason, error, sentence) => {
    const redis = { error: error.replaceAll("''", "\\'") as string | null };
    const producer = await producerBefore(redis);
    const [problem, ...more] = await producer.problems();
    expect(problem).toMatch(sentence);
    expect(more).toEqual([]);
    expect(producer.refusal()?.reason).toBe(reason);
    expect(producer.isReady()).toBe(false);
    // Nothing is put where it would be lost, and no work is taken for it.
    expect(await producer.waitingJobs('match')).toBeNull();
    expect(await producer.waitingJobs('deliver')).toBeNull();
    redis.error = null;
    await eventually(() => producer.isReady());
    expect(await producer.problems()).toEqual([]);
  });

  it.each([
    ['WRONGPASS', 'wrong', /refuses the user and password of REDIS_URL/],
    ['NOAUTH', '', /asks for a password/],
  ])('is named also when it takes no connection: %s', async (reason, password, sentence) => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-queue-'));
    const redis = await startRedis({ dataDir });
    closing.push(() => rm(dataDir, { recursive: true }), redis.stop);
    const url = Object.assign(new URL(redis.url), { password });
    const producer = createProducer({ url: url.href, prefix: 'refused', onError: () => undefined });
    closing.push(() => producer.close());
    await eventually(() => producer.refusal()?.reason === reason);
    expect(await producer.problems()).toEqual([expect.stringMatching(sentence)]);
  });

  it('is found by the first command that fails', async () => {
    const redis: { error: string | null } = { error: null };
    const producer = await producerBefore(redis);
    expect(await producer.problems()).toEqual([]);
    redis.error = 'OOM command not allowed';
    producer.enqueueEvents([randomUUID()]);
    await eventually(() => producer.refusal()?.reason === 'OOM');
  });
});

it('a broken connection is no refusal, and a command without an answer is one', () => {
  expect(refusalOf(new Error('connect ECONNREFUSED 127.0.0.1:1'))).toBeNull();
  expect(refusalOf(new Error('Command timed out'))?.reason).toBe('TIMEOUT');
});

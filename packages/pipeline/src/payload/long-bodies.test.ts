import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { claimRules } from '../fixtures/callouts.ts';
import { aTenantWithCallouts } from '../fixtures/delivery.ts';
import { releaseHeldCallouts } from '../limits/release-held.ts';
import { createLongBodies, keepingRoom, type LongBodies } from './long-bodies.ts';

const database = useDatabase(createDisposableDatabase);
const long = 100_000;
const longBody = 'x'.repeat(long);
let freed: number[] = [];
let next = 0;

beforeEach(() => {
  freed = [];
});

const roomFor = (bodies: number): LongBodies => createLongBodies((keys) => freed.push(...keys), bodies * long);

describe('the room for long bodies', () => {
  const take = (room: LongBodies, tenantId: number, bodyBytes = long, webhookKey = tenantId) =>
    room.take({ id: String((next += 1)), tenantId, webhookKey, bodyBytes });

  it('has no more than half for the only tenant, and more for another', () => {
    const room = roomFor(8);
    expect(Array.from({ length: 8 }, () => take(room, 1)).filter(Boolean)).toHaveLength(4);
    expect(Array.from({ length: 8 }, () => take(room, 2)).filter(Boolean)).toHaveLength(2);
    expect(take(room, 3)).toBe(true);
  });

  it('always has some for a short body, and for one callout alone', () => {
    const room = roomFor(1);
    expect(take(room, 1, 50 * long)).toBe(true);
    expect(take(room, 1)).toBe(false);
    expect(take(room, 2)).toBe(false);
    expect(take(room, 1, 1_000)).toBe(true);
    expect(take(room, 2, 64 * 1024)).toBe(true);
  });

  it('is given back once, and then the webhooks that found none are named', () => {
    const room = roomFor(2);
    const callout = { id: 'a', tenantId: 1, webhookKey: 1, bodyBytes: 2 * long };
    expect(room.take(callout)).toBe(true);
    expect(take(room, 2, long, 21)).toBe(false);
    expect(take(room, 2, long, 22)).toBe(false);
    room.release('another');
    expect(freed).toEqual([]);
    room.release('a');
    room.release('a');
    expect(freed).toEqual([21, 22]);
    expect(room.take(callout)).toBe(true);
  });

  it('is offered again when an eighth of it was given back, or all that a tenant had', () => {
    const room = roomFor(32);
    const callout = (id: number, tenantId: number, webhookKey: number, bodies = 1) => {
      return { id: String(id), tenantId, webhookKey, bodyBytes: bodies * long };
    };
    expect(room.take(callout(100, 2, 9, 2))).toBe(true);
    const taken = Array.from({ length: 16 }, (_, nth) => callout(nth, 1, 7)).filter((one) => room.take(one));
    expect(taken).toHaveLength(15);
    for (const { id } of taken.slice(0, 3)) room.release(id);
    expect(freed).toEqual([]);
    room.release('3');
    expect(freed).toEqual([7]);
    for (const { id } of taken.slice(4, 12)) room.release(id);
    expect(room.take(callout(101, 1, 8, 32))).toBe(false);
    room.release('12');
    room.release('13');
    expect(freed).toEqual([7]);
    // Whatever another tenant still has.
    room.release('14');
    expect(freed).toEqual([7, 8]);
  });

  it('is asked for again after a short call of the same webhook, and not after a long one', () => {
    const room = roomFor(2);
    expect(room.take({ id: 'a', tenantId: 1, webhookKey: 1, bodyBytes: 2 * long })).toBe(true);
    expect(take(room, 1)).toBe(false);
    expect(room.hadNone({ id: 'a', webhookKey: 1 })).toBe(false);
    expect(room.hadNone({ id: 'short', webhookKey: 2 })).toBe(false);
    expect(room.hadNone({ id: 'short', webhookKey: 1 })).toBe(true);
    expect(room.hadNone({ id: 'short', webhookKey: 1 })).toBe(false);
  });

  it('is given back by work that fails, and for what it does not return', async () => {
    const room = roomFor(2);
    const both = ['a', 'b'].map((id) => ({ id, tenantId: 1, webhookKey: 1, bodyBytes: long }));
    const takeAll = () => both.filter((one) => room.take(one));
    expect(takeAll()).toHaveLength(1);
    await expect(keepingRoom(room, both, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(takeAll()).toHaveLength(1);
    await keepingRoom(room, both, () => Promise.resolve([{ id: 'a' }]));
    expect(takeAll()).toHaveLength(1);
    await keepingRoom(room, both, () => Promise.resolve([]));
    expect(room.take({ id: 'c', tenantId: 2, webhookKey: 2, bodyBytes: 2 * long })).toBe(true);
  });
});

describe('a claim of callouts with long bodies', () => {
  it('reads no more bodies than there is room for, and leaves the others due', async () => {
    const tenant = await aTenantWithCallouts(database);
    for (let recordId = 1; recordId <= 12; recordId += 1) await tenant.add(recordId, 0, longBody);
    await tenant.add(13);
    const room = roomFor(8);
    const claimed = await tenant.claim(100, room);
    expect(claimed.map(({ body }) => body.length)).toEqual([...Array<number>(4).fill(long), 2]);
    // Without its limit, all that is left is due at once.
    expect(await tenant.claim()).toHaveLength(8);
    room.release(claimed[0]?.id ?? '');
    expect(freed).toEqual(tenant.keys);
  });

  it('counts none that it leaves for limits of their webhook', async () => {
    const tenant = await aTenantWithCallouts(database);
    await database.pool.query(
      'UPDATE webhooks SET max_calls_per_second = 10, max_concurrent_calls = 5 WHERE key = $1',
      [tenant.keys[0]],
    );
    for (let recordId = 1; recordId <= 5; recordId += 1) await tenant.add(recordId, 0, longBody);
    const room = roomFor(2);
    expect(await tenant.claim(100, room)).toHaveLength(1);
    const { rows } = await database.pool.query('SELECT FROM limited_calls WHERE webhook_key = $1', [tenant.keys[0]]);
    expect(rows).toHaveLength(1);
    await database.pool.query("UPDATE webhook_rates SET next_call_at = now() - interval '1 second'");
    expect(await tenant.claim()).toHaveLength(4);
  });

  it('releases no more held ones than there is room for', async () => {
    const tenant = await aTenantWithCallouts(database);
    const setLimit = (limit: number) =>
      database.pool.query('UPDATE tenants SET callout_threshold = $2 WHERE id = $1', [tenant.tenantId, limit]);
    await setLimit(1);
    for (let recordId = 1; recordId <= 10; recordId += 1) await tenant.add(recordId, 0, longBody);
    await tenant.claim();
    await setLimit(0);
    const release = (longBodies?: LongBodies) =>
      releaseHeldCallouts(database.pool, {
        ...claimRules,
        atMost: 100,
        slotsOf: () => 100,
        ...(longBodies && { longBodies }),
      });
    expect(await release(roomFor(8))).toHaveLength(4);
    expect(await release()).toHaveLength(5);
  });
});

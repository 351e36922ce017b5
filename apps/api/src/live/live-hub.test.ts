import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LiveResult } from '@callout/queue/live-result';
import { eventually } from '@callout/testing';
import { createLiveHub, type LiveHub, type SubscribeLive } from './live-hub.ts';
import type { ViewerStream } from './viewer.ts';

const hubs: LiveHub[] = [];
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.close();
});

/** A response that a test reads on command. */
class Stream extends EventEmitter implements ViewerStream {
  writableLength = 0;
  isReading = true;
  text = '';
  isDestroyed = false;
  destroyed = false;

  write(text: string): boolean {
    this.text += text;
    if (!this.isReading) this.writableLength += text.length;
    return this.isReading;
  }
  end(text = ''): void {
    this.text += text;
    this.emit('close');
  }
  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }
  readOn(): void {
    this.isReading = true;
    this.writableLength = 0;
    this.emit('drain');
  }
}

const place = { tenantId: 1, entityType: 'Account', id: 5, ownerResourceId: 2 };
const aResult = (sequenceNumber: number): LiveResult => ({
  calloutId: 'callout',
  webhookKey: 5,
  recordId: 1,
  sequenceNumber,
  kind: 'event',
  state: 'delivered',
  attempt: 1,
  startedAtMs: 0,
  durationMs: 1,
  status: 200,
  reason: 'x'.repeat(1_000),
  nextInMs: null,
});
const all = { tenantId: 1, webhookKey: null, ownerResourceId: null };
const allowed = async () => true;

function aHub(
  limits: Parameters<typeof createLiveHub>[0]['limits'] = {},
  findPlaces: Parameters<typeof createLiveHub>[0]['findPlaces'] = async () => new Map([[5, place]]),
) {
  let heard: Parameters<SubscribeLive>[0] | undefined;
  let lookups = 0;
  const hub = createLiveHub({
    subscribe: (given) => {
      heard = given;
      return { watch: async () => true, unwatch: () => undefined, close: () => undefined };
    },
    findPlaces: (keys) => {
      lookups += 1;
      return findPlaces(keys);
    },
    limits,
  });
  hubs.push(hub);
  const publish = (sequenceNumber: number, webhookKeys: readonly number[] = [5]) =>
    heard?.onResults(
      1,
      webhookKeys.map((webhookKey) => ({ ...aResult(sequenceNumber), webhookKey })),
    );
  return { hub, publish, lookups: () => lookups };
}

describe('viewers of one process', () => {
  it('are not counted when they left before they were added', () => {
    const { hub } = aHub({ viewersOfTenant: 1 });
    const gone = new Stream();
    gone.destroyed = true;
    hub.add(gone, all, allowed);
    expect(gone.text).toBe('');
    expect(() => hub.add(new Stream(), all, allowed)).not.toThrow();
  });

  it('have a bounded cost when they read slowly, and learn how many results they missed', async () => {
    const { hub, publish, lookups } = aHub();
    const [slow, quick] = [new Stream(), new Stream()];
    slow.isReading = false;
    hub.add(slow, all, allowed);
    hub.add(quick, all, allowed);
    for (let n = 1; n <= 500; n += 1) publish(n);
    await eventually(() => expect(quick.text).toContain('"sequenceNumber":500'));
    expect(slow.text.length).toBeLessThan(80 * 1024);
    expect(lookups()).toBe(1);
    slow.readOn();
    const kept = slow.text.split('event: attempt').length - 1;
    expect(slow.text).toContain(`event: lost\ndata: {"count":${500 - kept}}`);
    publish(501);
    await eventually(() => expect(slow.text).toContain('"sequenceNumber":501'));
  });

  it('miss nothing when more webhooks have results than are remembered', async () => {
    const { hub, publish } = aHub({ places: 2 }, async (keys) => new Map(keys.map((id) => [id, { ...place, id }])));
    const stream = new Stream();
    hub.add(stream, all, allowed);
    publish(1, [1, 2]);
    // The first is the oldest cached one when the third is added.
    publish(2, [1, 3]);
    publish(3, [2]);
    const sent = () => [...stream.text.matchAll(/"webhookID":(\d)/gu)].map(([, id]) => Number(id));
    await eventually(() => expect(stream.text).toContain('"sequenceNumber":3'));
    expect(sent()).toEqual([1, 2, 1, 3, 2]);
  });

  it('learn how many results they missed while owners of webhooks are unknown', async () => {
    const { hub, publish } = aHub({}, () => Promise.reject(new Error('PostgreSQL is away')));
    const stream = new Stream();
    hub.add(stream, all, allowed);
    publish(1);
    await eventually(() => expect(stream.text).toContain('event: lost\ndata: {"count":1}'));
    expect(stream.text).not.toContain('event: attempt');
  });

  it('of a portal do not learn how many results of the tenant were lost', async () => {
    const { hub, publish } = aHub({}, () => Promise.reject(new Error('PostgreSQL is away')));
    const [member, portal] = [new Stream(), new Stream()];
    hub.add(member, all, allowed);
    hub.add(portal, { ...all, ownerResourceId: 3 }, allowed);
    publish(1, [5, 5, 5]);
    await eventually(() => expect(member.text).toContain('data: {"count":3}'));
    expect(portal.text).toContain('data: {"count":1}');
  });

  it('learn how many results they missed when too many wait for an owner', async () => {
    let find: (() => void) | undefined;
    const places = new Promise<Map<number, typeof place>>((resolve) => (find = () => resolve(new Map([[5, place]]))));
    const { hub, publish } = aHub({ waitingResults: 2 }, () => places);
    const stream = new Stream();
    hub.add(stream, all, allowed);
    for (const number of [1, 2, 3]) publish(number);
    expect(stream.text).toContain('event: lost\ndata: {"count":1}');
    find?.();
    await eventually(() => expect(stream.text.split('event: attempt')).toHaveLength(3));
    publish(4);
    await eventually(() => expect(stream.text).toContain('"sequenceNumber":4'));
  });

  it('are no more than there is capacity for, in the process and of a tenant', () => {
    const { hub } = aHub({ viewers: 6, viewersOfTenant: 2 });
    const first = new Stream();
    const add = (tenantId: number, stream = new Stream()) => hub.add(stream, { ...all, tenantId }, allowed);
    const tooMany = expect.objectContaining({ kind: 'tooMany' });
    add(1, first);
    add(1);
    expect(() => add(1)).toThrow(tooMany);
    add(2);
    add(2);
    add(3);
    // There is capacity for one more, which is for another tenant.
    expect(() => add(3)).toThrow(tooMany);
    add(4);
    expect(() => add(5)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    first.end();
    expect(() => add(5)).not.toThrow();
  });

  it('are disconnected with their session, and when the process stops', async () => {
    const { hub } = aHub({ recheckMs: 5, heartbeatMs: 5 });
    const [gone, unknown, well] = [new Stream(), new Stream(), new Stream()];
    hub.add(gone, all, async () => false);
    hub.add(unknown, all, () => Promise.reject(new Error('away')));
    hub.add(well, all, allowed);
    await eventually(() => expect(gone.text).toContain('event: ended'));
    await eventually(() => expect(well.text).toContain(': heartbeat'));
    expect([unknown.text, well.text].join('')).not.toContain('ended');
    hub.close();
    expect(well.text).toContain('event: ended');
    expect(() => hub.add(new Stream(), all, allowed)).toThrow(
      expect.objectContaining({ kind: 'unavailable', message: 'The API is stopping: connect again.' }),
    );
  });

  it('share one lookup at a time while its result takes long', async () => {
    const { hub } = aHub({ recheckMs: 5, heartbeatMs: 10 });
    const stream = new Stream();
    let asked = 0;
    hub.add(stream, all, () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    await eventually(() => expect(stream.text.split(': heartbeat').length).toBeGreaterThan(5));
    expect(asked).toBe(1);
  });

  it('see of a portal the webhooks of its resource alone', async () => {
    const { hub, publish } = aHub();
    const [own, others] = [new Stream(), new Stream()];
    hub.add(own, { ...all, ownerResourceId: 2 }, allowed);
    hub.add(others, { ...all, ownerResourceId: 3 }, allowed);
    publish(1);
    await eventually(() => expect(own.text).toContain('event: attempt'));
    expect(others.text).not.toContain('event: attempt');
  });
});

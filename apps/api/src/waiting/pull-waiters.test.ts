import { describe, expect, it } from '@jest/globals';
import { createPullWaiters } from './pull-waiters.ts';

const longMs = 3_600_000;

function world(most = 10) {
  const notices: { deliver: (keys: readonly number[]) => void; closed: boolean; listeners: number } = {
    deliver: () => undefined,
    closed: false,
    listeners: 0,
  };
  const waiters = createPullWaiters({
    most,
    listen: (onNotice) => {
      notices.deliver = onNotice;
      notices.listeners += 1;
      return { isListening: () => true, close: () => (notices.closed = true) };
    },
  });
  return { notices, waiters, stays: new AbortController().signal };
}

describe('a request that waits', () => {
  it('is woken by a notice of its webhook, and by no other', async () => {
    const { notices, waiters, stays } = world();
    const [own, other] = [waiters.enter(1, 7, stays), waiters.enter(1, 8, stays)];
    own.arm();
    other.arm();
    const woken: string[] = [];
    const waits = [own.wait(longMs).then(() => woken.push('own')), other.wait(longMs).then(() => woken.push('other'))];
    notices.deliver([7, 9]);
    await waits[0];
    expect(woken).toEqual(['own']);
    notices.deliver([8]);
    await waits[1];
    expect(notices.listeners).toBe(1);
  });

  it('misses no notice that comes while PostgreSQL is asked', async () => {
    const { notices, waiters, stays } = world();
    const place = waiters.enter(1, 7, stays);
    place.arm();
    notices.deliver([7]);
    await expect(place.wait(longMs)).resolves.toBeUndefined();
  });

  it('ends when its client leaves, and when the process stops', async () => {
    const { notices, waiters, stays } = world();
    const gone = new AbortController();
    const [left, stays1] = [waiters.enter(1, 7, gone.signal), waiters.enter(1, 7, stays)];
    const waits = [left.wait(longMs), stays1.wait(longMs)];
    gone.abort();
    await waits[0];
    waiters.stop();
    await waits[1];
    await waiters.enter(1, 7, stays).wait(longMs);
    expect([notices.closed, waiters.isStopping()]).toEqual([true, true]);
  });

  it('opens no listener that nothing would close, when it begins while the process stops', async () => {
    const { notices, waiters, stays } = world();
    waiters.stop();
    await waiters.enter(1, 7, stays).wait(longMs);
    expect([waiters.isListening(), notices.listeners]).toEqual([false, 0]);
  });

  it('ends after its time', async () => {
    const { waiters, stays } = world();
    await expect(waiters.enter(1, 7, stays).wait(1)).resolves.toBeUndefined();
  });
});

describe('waiting requests', () => {
  it('are so many at most, and of one tenant as many as stay free', () => {
    const { waiters, stays } = world(4);
    const places = [waiters.enter(1, 1, stays), waiters.enter(1, 1, stays)];
    expect(() => waiters.enter(1, 2, stays)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
    places.push(waiters.enter(2, 3, stays), waiters.enter(3, 4, stays));
    expect(() => waiters.enter(4, 5, stays)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
    for (const place of places) {
      place.leave();
      place.leave();
    }
    expect(() => waiters.enter(4, 5, stays)).not.toThrow();
  });

  it('leave places to a tenant that comes later, however many others ask for all they can get', () => {
    const { waiters, stays } = world(90);
    const enter = (tenantId: number) => waiters.enter(tenantId, tenantId, stays);
    const greedy = [1, 2].map((tenantId) => {
      let places = 0;
      try {
        for (;;) {
          enter(tenantId);
          places += 1;
        }
      } catch (problem) {
        expect(problem).toMatchObject({ kind: 'tooMany' });
      }
      return places;
    });
    expect(greedy).toEqual([45, 22]);
    for (let place = 0; place < 11; place += 1) enter(3);
    expect(() => enter(3)).toThrow(expect.objectContaining({ kind: 'tooMany' }));
  });
});

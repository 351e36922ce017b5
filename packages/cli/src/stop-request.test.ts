import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@callout/testing';
import { listenForStop, StopRequested, whenStopped, type StoppableProcess } from './stop-request.ts';

class FakeProcess extends EventEmitter implements StoppableProcess {
  ppid = 100;
}

function listen() {
  const process = new FakeProcess();
  const state = { forced: 0, now: 1_000 };
  const signal = listenForStop({ process, force: () => state.forced++, now: () => state.now, lookEveryMs: 5 });
  return { process, state, signal };
}

describe('listenForStop', () => {
  it.each(['SIGINT', 'SIGTERM'])('stops at %s', async (name) => {
    const { process, signal } = listen();
    expect(signal.aborted).toBe(false);
    process.emit(name);
    expect(signal.reason).toBeInstanceOf(StopRequested);
    await expect(whenStopped(signal)).rejects.toBe(signal.reason);
  });

  it('reads a signal that npm forwards as the same press, and a later one as a second', () => {
    const { process, state } = listen();
    process.emit('SIGINT');
    state.now += 100;
    process.emit('SIGINT');
    expect(state.forced).toBe(0);
    state.now += 600;
    process.emit('SIGINT');
    expect(state.forced).toBe(1);
  });

  it('stops when the process that started it is gone, and does not count that as a second press', async () => {
    const { process, state, signal } = listen();
    process.ppid = 1;
    await eventually(() => signal.aborted);
    expect(signal.reason).toBeInstanceOf(StopRequested);
    expect(state.forced).toBe(0);
  });
});

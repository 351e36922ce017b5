import { describe, expect, it } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { stopOnSignals, type StopStep } from './lifecycle.ts';
import { createLogger } from '../log/logger.ts';

const log = createLogger({ service: 'test', level: 'silent' });

/** A process that notes its exit instead of ending; only the first exit counts, as in real life. */
class FakeProcess extends EventEmitter {
  readonly exited: Promise<number>;
  #resolveExited: (status: number) => void = () => {};

  constructor() {
    super();
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
  }

  exit(status: number): void {
    this.#resolveExited(status);
  }
}

function started(steps: StopStep[], options: { drainTimeoutMs?: number; now?: () => number } = {}) {
  const process = new FakeProcess();
  const lifecycle = stopOnSignals(
    { log, process, drainTimeoutMs: options.drainTimeoutMs ?? 60_000, ...(options.now && { now: options.now }) },
    steps,
  );
  return { process, lifecycle };
}

const never = () => new Promise<void>(() => {});

describe('stopOnSignals', () => {
  it.each(['SIGTERM', 'SIGINT', 'disconnect'])('on %s runs the steps in order and exits with 0', async (event) => {
    const done: string[] = [];
    const step = (name: string): StopStep => ({
      name,
      stop: async () => {
        await Promise.resolve();
        done.push(name);
      },
    });
    const { process, lifecycle } = started([step('server'), step('intake'), step('database')]);
    expect(lifecycle.isStopping()).toBe(false);
    process.emit(event);
    expect(lifecycle.isStopping()).toBe(true);
    await expect(process.exited).resolves.toBe(0);
    expect(done).toEqual(['server', 'intake', 'database']);
  });

  it('goes on after a step that fails, and exits with 1', async () => {
    const done: string[] = [];
    const { process } = started([
      { name: 'server', stop: () => Promise.reject(new Error('stuck')) },
      { name: 'database', stop: async () => void done.push('database') },
    ]);
    process.emit('SIGTERM');
    await expect(process.exited).resolves.toBe(1);
    expect(done).toEqual(['database']);
  });

  it('exits with 1 when the steps take longer than the deadline', async () => {
    const { process } = started([{ name: 'server', stop: never }], { drainTimeoutMs: 20 });
    process.emit('SIGTERM');
    await expect(process.exited).resolves.toBe(1);
  });

  it('exits at once on a second signal, but not on the echo of the same Ctrl-C', async () => {
    let nowMs = 0;
    const { process } = started([{ name: 'server', stop: never }], { now: () => nowMs });
    let status: number | undefined;
    void process.exited.then((value) => (status = value));
    process.emit('SIGINT');
    nowMs = 100;
    process.emit('SIGINT');
    process.emit('SIGTERM');
    await new Promise(setImmediate);
    expect(status).toBeUndefined();
    nowMs = 2000;
    process.emit('SIGINT');
    await expect(process.exited).resolves.toBe(1);
  });

  it('exits with 1 on an uncaught exception', async () => {
    const { process } = started([]);
    process.emit('uncaughtException', new Error('surprise'));
    await expect(process.exited).resolves.toBe(1);
  });
});

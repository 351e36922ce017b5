import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../log/logger.ts';
import { eventually } from '@callout/testing';
import { startMaintenance, type Maintenance } from './maintenance.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const metrics = { onTaskEnd: () => undefined };
let tasks: Maintenance | undefined;
afterEach(() => tasks?.stop());

describe('maintenance tasks', () => {
  it('are each run at once and repeatedly, also beside one that takes long or fails', async () => {
    const done: string[] = [];
    let finish: () => void = () => undefined;
    let tries = 0;
    tasks = startMaintenance(
      [
        { name: 'long', everyMs: 1, work: () => new Promise<void>((resolve) => (finish = resolve)) },
        { name: 'short', everyMs: 1, work: async () => void done.push('short') },
        {
          name: 'bad',
          everyMs: 1,
          work: async () => {
            tries += 1;
            throw new Error('cannot be done');
          },
        },
      ],
      { log, metrics },
    );
    await eventually(() => done.length > 2 && tries > 2);
    expect(new Set(done)).toEqual(new Set(['short']));
    finish();
  });

  it('see that they stop, and are waited for', async () => {
    const steps: string[] = [];
    tasks = startMaintenance(
      [
        {
          name: 'long',
          everyMs: 1,
          work: async (isStopping) => {
            steps.push('began');
            await eventually(isStopping);
            steps.push('ended');
          },
        },
      ],
      { log, metrics },
    );
    await tasks.stop();
    expect(steps).toEqual(['began', 'ended']);
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@callout/runtime/log';
import { eventually } from '@callout/testing';
import { testMetrics } from '../fixtures/test-metrics.ts';
import { startChores, type Chores } from './chores.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const metrics = testMetrics();
let chores: Chores | undefined;
afterEach(() => chores?.stop());

describe('chores', () => {
  it('are each done at once and again, also beside one that takes long or fails', async () => {
    const done: string[] = [];
    let finish: () => void = () => undefined;
    let tries = 0;
    chores = startChores(
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

  it('are told that they stop, and are waited for', async () => {
    const steps: string[] = [];
    chores = startChores(
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
    await chores.stop();
    expect(steps).toEqual(['began', 'ended']);
  });
});

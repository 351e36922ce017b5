import { describe, expect, it } from '@jest/globals';
import { startStep } from './start-step.ts';

describe('startStep', () => {
  it('gives what the step gives, and says of a failure which setting and why', async () => {
    const failing = (cause: Error) => startStep('cannot listen on API_PORT', () => Promise.reject(cause));
    await expect(startStep('cannot listen', async () => 8080)).resolves.toBe(8080);
    const taken = new Error('listen EADDRINUSE');
    await expect(failing(taken)).rejects.toMatchObject({
      message: 'cannot listen on API_PORT: listen EADDRINUSE',
      cause: taken,
    });
    const nowhere = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    await expect(failing(nowhere)).rejects.toThrow('cannot listen on API_PORT: ECONNREFUSED');
  });
});

import { createTestDatabase, forThisFile, testRedis } from '@callout/testing';
import { startHeldReceiver, type HeldReceiver } from './held-receiver.ts';
import { startWorker, type RunningWorker } from './start-worker.ts';

/** A worker for the tests of a file, with all roles, over a database and a queue of their own. @param env as for `startWorker`. */
export function useWorker(env: Record<string, string>): RunningWorker {
  return forThisFile(
    async () => {
      const [testDatabase, redis] = await Promise.all([createTestDatabase(), testRedis()]);
      const worker = await startWorker(testDatabase.url, redis, env);
      const stop = async () => {
        await worker.stop();
        await Promise.all([redis.cleanUp(), testDatabase.drop()]);
      };
      return { ...worker, stop };
    },
    (worker) => worker.stop(),
  );
}

/** A receiver for the tests of a file. */
export function useHeldReceiver(): HeldReceiver {
  return forThisFile(startHeldReceiver, (receiver) => receiver.stop());
}

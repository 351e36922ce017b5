import { afterAll, beforeAll } from '@jest/globals';

/**
 * Shared objects of a test file: `make` runs in a `beforeAll`, `end` in an `afterAll`. Call it before hooks that need
 * its result, which can be used in hooks and tests, and not while they are being declared.
 */
export function forThisFile<T extends object>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    if (made !== undefined) await end(made);
  });
  return new Proxy({} as T, {
    get(_target, name) {
      if (made === undefined) throw new Error('it is made in beforeAll: use it in hooks and tests');
      return Reflect.get(made, name) as unknown;
    },
  });
}

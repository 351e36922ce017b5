// Plain JavaScript, because Jest loads it untransformed.
import { TestEnvironment } from 'jest-environment-node';
import { disableAsyncStorages } from './async-storages.js';

/** Classes that a test and a package may both speak of. `Object` cannot be shared: nothing may come before its prototype. */
const SHARED = [Array, Function, Map, Promise, RegExp, Set, WeakMap, WeakSet].concat([
  AggregateError,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
]);

/**
 * The global scope of a test file. Jest gives it a `Date` and an `Error` of its own, while packages are loaded outside of
 * it (runtime.js): here both have the same, so that `instanceof` is true for what comes from the other side, and also
 * for what the language makes by itself, such as a list literal or the TypeError of a wrong call.
 */
export default class Environment extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    super(...args);
    for (const shared of SHARED) {
      Object.setPrototypeOf(this.global[shared.name].prototype, shared.prototype);
      Object.defineProperty(this.global, shared.name, { value: shared, writable: true, configurable: true });
    }
    // A test that sets the clock sets it for packages, too.
    Object.setPrototypeOf(this.global.Date.prototype, Date.prototype);
    Object.defineProperty(this.global, 'Date', {
      get: () => globalThis.Date,
      set: (date) => {
        globalThis.Date = date;
      },
      configurable: true,
    });
  }

  async teardown() {
    await super.teardown();
    disableAsyncStorages();
  }
}

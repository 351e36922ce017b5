// Plain JavaScript, because Jest loads it untransformed.
import { createRequire } from 'node:module';
import JestRuntime from 'jest-runtime';
import { compileSources, sourceNamed } from './sources.js';

/** What Jest loads besides sources of the product: what Node brings, and what tests import of Jest. */
const OF_JEST = /^([./]|node:|@callout\/|@jest\/globals$)/;

/** Parts of Jest that keep nothing of a test file: Jest would load these, too, for each file. */
const PARTS_OF_JEST = new Set([
  '@jest/expect-utils',
  '@jest/get-type',
  '@jest/test-result',
  'chalk',
  'co',
  'dedent',
  'graceful-fs',
  'is-generator-fn',
  'jest-diff',
  'jest-each',
  'jest-matcher-utils',
  'jest-message-util',
  'jest-snapshot',
  'jest-util',
  'p-limit',
  'pretty-format',
  'pure-rand',
  'slash',
  'stack-utils',
]);

/**
 * Lets Node load what is in node_modules and the sources of the product, once for all test files of a process and as
 * production does. Jest would compile and run all of it again for each of them: most of the CPU time of a small test
 * file. Our tests mock no module, and sources keep nothing that one test file could leave to the next.
 */
export default class Runtime extends JestRuntime {
  /** @type {boolean} */
  #loadsOnce;

  /** @param {ConstructorParameters<typeof JestRuntime>} args */
  constructor(...args) {
    super(...args);
    const [config, , , transformer, , { collectCoverage }, , { watch, watchAll }] = args;
    this.#loadsOnce = !collectCoverage && !watch && !watchAll;
    Object.assign(globalThis, config.globals);
    if (this.#loadsOnce) compileSources(transformer, this.getSourceMaps());
  }

  /** @param {string} from the file that asks @param {string} name @returns {unknown} */
  requireModuleOrMock(from, name) {
    if (!OF_JEST.test(name)) return createRequire(from)(name);
    const source = this.#loadsOnce ? sourceNamed(from, name) : undefined;
    return source === undefined ? super.requireModuleOrMock(from, name) : createRequire(from)(source);
  }

  /** @param {string} from the file that asks @param {string} [name] @returns {unknown} */
  requireInternalModule(from, name) {
    return name !== undefined && PARTS_OF_JEST.has(name)
      ? createRequire(from)(name)
      : super.requireInternalModule(from, name);
  }
}

// Plain JavaScript, because Jest loads it untransformed.
import { createRequire } from 'node:module';
import JestRuntime from 'jest-runtime';

/** What Jest loads for each test file: our sources, what Node brings, and what tests import of Jest. */
const ANEW = /^([./]|node:|@callout\/|@jest\/globals$)/;

/**
 * Lets Node load what is in node_modules, once for all test files of a process and as production does. Jest would compile
 * and run Prisma, zod and all the rest for each of them, which was most of the CPU time of a small test file.
 * Our tests mock no module, and our sources are still loaded for each test file.
 */
export default class Runtime extends JestRuntime {
  /** @param {string} from the file that asks @param {string} name @returns {unknown} */
  requireModuleOrMock(from, name) {
    return ANEW.test(name) ? super.requireModuleOrMock(from, name) : createRequire(from)(name);
  }
}

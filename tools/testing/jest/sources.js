// Plain JavaScript, because Jest loads it untransformed.
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** What Jest loads for each test file: tests, and what they share, which refers to the test file that runs. */
const OF_TESTS = /\.(test|fixture|suite)\.ts$|\/(fixtures|test)\//;
/** The packages whose sources do not depend on tests. */
const PRODUCT =
  /^(apps\/(api|worker)|packages\/(cli|client|database|domain|history|local|outbound|pipeline|queue|runtime|tenancy|transfer|webhooks))\/src\//;

/** Sources are compiled as Jest compiles tests, with its cache. */
const PLAIN = {
  collectCoverage: false,
  collectCoverageFrom: [],
  coverageProvider: 'v8',
  isInternalModule: false,
  supportsDynamicImport: false,
  supportsExportNamespaceFrom: false,
  supportsStaticESM: false,
  supportsTopLevelAwait: false,
};

/** The files of the source maps of what has been loaded. @type {Map<string, string>} */
const sourceMaps = new Map();

/** @param {string} file @returns {boolean} whether it is a source of the product */
export function isSource(file) {
  return file.endsWith('.ts') && PRODUCT.test(path.relative(ROOT, file)) && !OF_TESTS.test(file);
}

/**
 * Has Node load TypeScript sources from now on.
 * @param {{ transform: (file: string, options: object, source: string) => { code: string, sourceMapPath: string | null } }} transformer of Jest
 * @param {Map<string, string>} mapsOfFile where Jest looks for source maps while it runs the current test file
 */
export function compileSources(transformer, mapsOfFile) {
  for (const [file, map] of sourceMaps) mapsOfFile.set(file, map);
  Module._extensions['.ts'] = (module, file) => {
    const { code, sourceMapPath } = transformer.transform(file, PLAIN, readFileSync(file, 'utf8'));
    if (sourceMapPath) for (const maps of [sourceMaps, mapsOfFile]) maps.set(file, sourceMapPath);
    module._compile(code, file);
  };
}

/** @param {string} from the file that asks @param {string} name @returns {string | undefined} the source it asks for */
export function sourceNamed(from, name) {
  if (!/^(\.|@callout\/)/.test(name)) return undefined;
  const file = createRequire(from).resolve(name);
  return isSource(file) ? file : undefined;
}

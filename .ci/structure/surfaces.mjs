// A package has a surface: the modules that its `exports` name. Node, TypeScript and Jest refuse all others.
import path from 'node:path';
import { holdBelow } from './bounds.mjs';
import { codeBelow, packages, sources, packageOf, textOf } from './sources.mjs';

const MOST_MODULES = 12;
/** Packages with more public modules: only ever lowered. */
const MORE = {
  'packages/database': 30,
  'packages/domain': 125,
  'packages/history': 35,
  'packages/pipeline': 150,
  'packages/runtime': 31,
  'packages/tenancy': 19,
  'packages/webhooks': 24,
};

const libraries = packages.filter((name) => name.startsWith('packages/'));
const exportsOf = (name) => Object.keys(JSON.parse(textOf(path.join(name, 'package.json'))).exports ?? {});

/** How many modules an entry of `exports` names: more than one, where it has a `*`. */
function modulesOf(name, key) {
  const [before, after] = key.slice(2).split('*');
  if (after === undefined) return 1;
  const paths = sources.filter((file) => packageOf(file) === name && file.endsWith('.ts'));
  return paths.filter((file) => file.startsWith(`${name}/src/${before}`) && file.endsWith(`${after}.ts`)).length;
}

/** How many modules other packages may import, without the fixtures of their tests, and types that a generator names. */
export const publicModules = new Map(
  libraries.map((name) => {
    const modules = exportsOf(name).filter((key) => !/fixture|generated/.test(key));
    return [name, modules.reduce((sum, key) => sum + modulesOf(name, key), 0)];
  }),
);

export const wideSurfaces = () =>
  holdBelow({
    figures: publicModules,
    most: MOST_MODULES,
    exceptions: MORE,
    what: 'public modules',
    table: '.ci/structure/surfaces.mjs',
  });

/** Modules that a package names in its `exports`, and that no other package or example imports. */
export function unusedModules() {
  const imports = new Set();
  for (const file of codeBelow('apps', 'packages', 'tools', 'examples', 'deploy', 'docs')) {
    for (const [, name, module] of textOf(file).matchAll(/['"`]@callout\/(\w+)((?:\/[\w.-]+)*)['"`]/g)) {
      if (packageOf(file) !== `packages/${name}`) imports.add(`packages/${name} .${module}`);
    }
  }
  return libraries.flatMap((name) =>
    exportsOf(name)
      .filter((key) => !key.includes('*') && !imports.has(`${name} ${key}`))
      .map((key) => `${name} exports ${key}, which nothing else imports`),
  );
}

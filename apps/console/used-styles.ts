import path from 'node:path';
import type { Plugin } from 'vite';

/** The class names of one component of Mantine, or of a part that several have. */
const classNames = /\/@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/u;

/**
 * Takes the styles of a component along wherever the component goes: Mantine's one file has those of a hundred, of which
 * the console uses a third, and a page a few. They come after those of the components that it is made of, since it imports
 * them first.
 */
export function usedStyles(): Plugin {
  return {
    name: 'used-styles',
    transform(code, id) {
      const [file = ''] = id.split('?', 1);
      const [, component] = classNames.exec(file.split(path.sep).join('/')) ?? [];
      return component === undefined
        ? null
        : { code: `import '@mantine/core/styles/${component}.layer.css';\n${code}`, map: null };
    },
  };
}

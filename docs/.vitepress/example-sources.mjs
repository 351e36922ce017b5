import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './pages.mjs';

const examples = path.join(root, 'examples');
/** The programs among the files of an example; the rest is what a language needs to build them. */
const PROGRAM = /\.(?:ts|py|go|java|cs|php|rb)$/u;

/** Adds every program of examples/ to the page about them: its source, which can be copied, and a link to download it. */
export function exampleSources() {
  return {
    name: 'callout-example-sources',
    enforce: 'pre',
    transform(code, id) {
      if (path.normalize(id) !== path.join(examples, 'README.md')) return null;
      return { code: `${code}\n${programs().map(section).join('\n')}`, map: null };
    },
  };
}

/** @returns {string[]} from examples/ on, such as `python/receiver.py` */
function programs() {
  return readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(path.join(examples, name)).map((file) => `${name}/${file}`))
    .filter((file) => PROGRAM.test(file));
}

/** @param {string} file */
function section(file) {
  const source = readFileSync(path.join(examples, file), 'utf8');
  const language = path.extname(file).slice(1);
  return `\n## ${file}\n\n[Download ${path.basename(file)}](/downloads/examples/${file}){download target="_self"}\n\n\`\`\`\`${language}\n${source}\`\`\`\`\n`;
}

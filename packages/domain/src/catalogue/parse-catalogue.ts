import { parse, type AnyNode } from '@humanwhocodes/momoa';
import { buildCatalogue, CatalogueError, type Catalogue } from './catalogue.ts';

/** The text of a catalogue file, with the name by which errors call the file. */
export interface CatalogueText {
  readonly name: string;
  readonly text: string;
}

/**
 * Builds the catalogue from the texts of its files, one per entity.
 * @throws an Error with one line per problem, such as `orders.json:12: fields.3.length must be …`.
 */
export function parseCatalogue(files: readonly CatalogueText[]): Catalogue {
  try {
    return buildCatalogue(files.map(({ text }) => JSON.parse(text) as unknown));
  } catch (error) {
    if (error instanceof SyntaxError) throw unusable(files.flatMap((file) => syntaxErrorOf(file) ?? []));
    if (!(error instanceof CatalogueError)) throw error;
    throw unusable(
      error.problems.map(({ file, path, message }) => {
        const { name, text } = files[file] ?? { name: '', text: '' };
        return [`${name}:${lineOf(text, path)}:`, path.join('.'), message].filter((part) => part !== '').join(' ');
      }),
    );
  }
}

function unusable(lines: readonly string[]): Error {
  return new Error(`The catalogue is not usable:\n${lines.join('\n')}`);
}

/** The first place at which a text is not JSON, as a line of an error. */
function syntaxErrorOf({ name, text }: CatalogueText): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    const { message, line } = error as { message: string; line: number };
    return `${name}:${line}: is not JSON (${message.replace(/ found\. \(.*$/u, '').toLowerCase()})`;
  }
}

/** The line of the value at a path; for a missing key, the line at which the object around the key begins. */
function lineOf(text: string, path: readonly PropertyKey[]): number {
  let node: AnyNode = parse(text).body;
  for (const key of path) {
    const inside = valueIn(node, String(key));
    if (inside === undefined) break;
    node = inside;
  }
  return node.loc.start.line;
}

function valueIn(node: AnyNode, key: string): AnyNode | undefined {
  if (node.type === 'Array') return node.elements[Number(key)]?.value;
  if (node.type !== 'Object') return undefined;
  return node.members.find(({ name }) => (name.type === 'String' ? name.value : name.name) === key)?.value;
}

import {
  findNodeAtLocation,
  parseTree,
  type JSONPath,
  type Node,
  type ParseError,
  printParseErrorCode,
} from 'jsonc-parser';
import { buildCatalogue, CatalogueError, type Catalogue } from './catalogue.ts';

/** The text of a catalogue file, with the name by which errors call it. */
export interface CatalogueText {
  readonly name: string;
  readonly text: string;
}

/**
 * Builds the catalogue from the texts of its files, one per entity.
 * @throws an Error with one line per problem, such as `orders.json:12: fields.3.length must be …`.
 */
export function parseCatalogue(files: readonly CatalogueText[]): Catalogue {
  const broken = files.flatMap(({ name, text }) => syntaxErrorOf(name, text) ?? []);
  if (broken.length > 0) throw unusable(broken);
  try {
    return buildCatalogue(files.map(({ text }) => JSON.parse(text) as unknown));
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    throw unusable(
      error.problems.map(({ file, path, message }) => {
        const { name, text } = files[file] ?? { name: '', text: '' };
        const place = path.filter((key) => typeof key !== 'symbol');
        return `${name}:${lineAt(text, offsetOf(parseTree(text), place))}: ${[place.join('.'), message].filter((part) => part !== '').join(' ')}`;
      }),
    );
  }
}

function unusable(lines: readonly string[]): Error {
  return new Error(`The catalogue is not usable:\n${lines.join('\n')}`);
}

/** The first place at which a text is not JSON, as a line of an error. */
function syntaxErrorOf(name: string, text: string): string | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  return first && `${name}:${lineAt(text, first.offset)}: is not JSON (${printParseErrorCode(first.error)})`;
}

/** Where the value at a path begins; of a key that is missing, where the object around the key begins. */
function offsetOf(root: Node | undefined, path: JSONPath): number {
  if (root === undefined) return 0;
  for (let length = path.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node) return node.offset;
  }
  return root.offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

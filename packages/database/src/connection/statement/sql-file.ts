import { readFileSync } from 'node:fs';
import path from 'node:path';
import { knownTransitions } from '@callout/domain/callout/transitions';
import { lockRanks, type LockStep } from '../locks/lock-order.ts';

/** The folder of all packages: the same path from `src` and from `dist`. */
const packages = path.resolve(import.meta.dirname, '../../../..');

/** A statement and the data of its header. */
export interface SqlFile {
  /** The file's name without the folder, and the name of the prepared statement. */
  name: string;
  /** The text for PostgreSQL: the whole file without the header. */
  text: string;
  /** The types of `$1`, `$2`…, in PostgreSQL's spelling, shortened as in a cast. */
  parameterTypes: string[];
  /** The rows that the statement locks and the transaction has not locked before, in order. */
  locks: LockStep[];
  /** The transitions of states that the statement makes, such as `due → held`, all from the table of states. */
  moves: string[];
  /** The indexes with which it must be planned. */
  indexes: string[];
}

/** Where the statement `<package>:<folder>/<name>` is. Without a package, the folder is a stage of `pipeline`. */
function pathOf(file: string): string {
  const [place = '', owner = 'pipeline'] = file.split(':').toReversed();
  return path.join(packages, owner, 'src', path.dirname(place), 'sql', `${path.basename(place)}.sql`);
}

/**
 * Reads a statement file. The header is the comment that the file begins with: the purpose of the statement, a line for
 * each parameter, `moves:` where the statement changes states, `locks:` and at the end `indexes:`.
 * @param file `<stage>/<name>` for `packages/pipeline/src/<stage>/sql/<name>.sql`; `<package>:<folder>/<name>`, or
 * `<package>:<name>`, for a statement of another package.
 * @throws Error when the file does not exist, or when the header is incomplete.
 */
export function readSqlFile(file: string): SqlFile {
  const source = readFileSync(pathOf(file), 'utf8');
  const lines = source.split('\n');
  const headerLength = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, headerLength).map((line) => line.slice(2).trim());
  const at = header.findIndex((line) => line.startsWith('indexes: '));
  const locks = header.find((line) => line.startsWith('locks: '));
  if (at < 0 || locks === undefined) throw new Error(`${file}.sql: its header must say "locks:" and "indexes:"`);
  const parameters = header.flatMap((line) => /^\$(\d+) (\S+(?: precision)?) {2}/.exec(line)?.slice(1) ?? []);
  return {
    name: path.basename(file.replace(':', '/')),
    text: lines.slice(headerLength).join('\n').trim(),
    parameterTypes: parameters.filter((_part, index) => index % 2 === 1),
    locks: readLocks(file, locks.slice('locks: '.length)),
    moves: readMoves(
      file,
      header.find((line) => line.startsWith('moves: ')),
    ),
    indexes: readNames(header.slice(at).join(' ').slice('indexes: '.length)),
  };
}

/** `a, b (a remark)`; `none`, with or without a reason. */
function readLocks(file: string, text: string): LockStep[] {
  if (/^none\b/.test(text)) return [];
  return [...text.matchAll(/([^ ,(]+)(?: \(([^)]*)\))?/g)].map(([, name, remark]) => {
    const rank = lockRanks.find((one) => one === name);
    if (rank === undefined) throw new Error(`${file}.sql: ${name} is none of the lockRanks`);
    return { rank, unlessHeld: remark === 'unless held' };
  });
}

/** @throws Error for a transition that is not in the table of states. */
function readMoves(file: string, line = 'moves: none'): string[] {
  const moves = readNames(line.slice('moves: '.length));
  const unknown = moves.find((one) => !knownTransitions.has(one));
  if (unknown !== undefined) throw new Error(`${file}.sql: ${unknown} is no transition of an event or a callout`);
  return moves;
}

function readNames(text: string): string[] {
  return text === 'none' ? [] : text.split(', ');
}

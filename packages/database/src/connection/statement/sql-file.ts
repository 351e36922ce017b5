import { readFileSync } from 'node:fs';
import path from 'node:path';
import { knownTransitions } from '@callout/domain/callout/transitions';
import { lockRanks, type LockStep } from '../locks/lock-order.ts';

/** The same path from `src` and from `dist`. */
const stages = path.resolve(import.meta.dirname, '../../../../pipeline/src');

/** A statement and the data of its header. */
export interface SqlFile {
  /** The file's name without its folder: each connection prepares it under this name. */
  name: string;
  /** The text that is sent: the whole file without its header. */
  text: string;
  /** The types of `$1`, `$2`…, in PostgreSQL's spelling, shortened as in a cast. */
  parameterTypes: string[];
  /** The rows that it locks and that its transaction has not locked before, in their order. */
  locks: LockStep[];
  /** The transitions of states that it makes, such as `due → held`: none but those of the table of states. */
  moves: string[];
  /** The indexes with which it must be planned. */
  indexes: string[];
}

/**
 * Reads `packages/pipeline/src/<stage>/sql/<name>.sql`. Its header is the comment that it begins with: what the
 * statement is for, a line for each parameter, `moves:` where it changes states, `locks:` and at the end `indexes:`.
 * @throws Error when there is no such file, or its header is incomplete.
 */
export function readSqlFile(file: string): SqlFile {
  const source = readFileSync(path.join(stages, path.dirname(file), 'sql', `${path.basename(file)}.sql`), 'utf8');
  const lines = source.split('\n');
  const headerLength = lines.findIndex((line) => !line.startsWith('--'));
  const header = lines.slice(0, headerLength).map((line) => line.slice(2).trim());
  const at = header.findIndex((line) => line.startsWith('indexes: '));
  const locks = header.find((line) => line.startsWith('locks: '));
  if (at < 0 || locks === undefined) throw new Error(`${file}.sql: its header must say "locks:" and "indexes:"`);
  const parameters = header.flatMap((line) => /^\$(\d+) (\S+(?: precision)?) {2}/.exec(line)?.slice(1) ?? []);
  return {
    name: path.basename(file),
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

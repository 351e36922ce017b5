import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lockRanks, type LockStep } from '../locks/lock-order.ts';

/** Beside `src` and `dist`, so that it is the same from both. */
const sqlDir = path.resolve(import.meta.dirname, '../../../sql');

/** A statement and what its header says of it. */
export interface SqlFile {
  /** The file's name without its folder: what each connection prepares it under. */
  name: string;
  /** As it is sent: the whole file but its header. */
  text: string;
  /** Of `$1`, `$2`…, as PostgreSQL calls them, shortened as in a cast. */
  parameterTypes: string[];
  /** The rows that it locks and that its transaction does not hold before, in their order. */
  locks: LockStep[];
  /** What it must be planned with. */
  indexes: string[];
}

/**
 * Reads `packages/db/sql/<file>.sql`. Its header is the comment that it begins with: what the statement is for, a line for
 * each parameter, `locks:` and at the end `indexes:`.
 * @throws Error when there is no such file, or its header lacks something.
 */
export function readSqlFile(file: string): SqlFile {
  const source = readFileSync(path.join(sqlDir, `${file}.sql`), 'utf8');
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
    indexes: readNames(header.slice(at).join(' ').slice('indexes: '.length)),
  };
}

/** `a, b (what else is to be known of it)`; `none`, with or without a reason. */
function readLocks(file: string, text: string): LockStep[] {
  if (/^none\b/.test(text)) return [];
  return [...text.matchAll(/([^ ,(]+)(?: \(([^)]*)\))?/g)].map(([, name, remark]) => {
    const rank = lockRanks.find((one) => one === name);
    if (rank === undefined) throw new Error(`${file}.sql: ${name} is none of the lockRanks`);
    return { rank, unlessHeld: remark === 'unless held' };
  });
}

function readNames(text: string): string[] {
  return text === 'none' ? [] : text.split(', ');
}

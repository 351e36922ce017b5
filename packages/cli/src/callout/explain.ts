import { CommanderError } from 'commander';
import { Problem } from '@callout/core/errors';
import { isDatabaseAway } from '@callout/db/connection';
import { ConfigError } from '@callout/runtime/config';
import { CannotGoOn, reasonOf } from '../cannot-go-on.ts';

interface Explanation {
  /** What went wrong, for people; one sentence each. */
  readonly lines: readonly string[];
  /** Whether the command line asked for something that cannot be, rather than that something failed. */
  readonly isUsage: boolean;
}

/** Table or column missing, as PostgreSQL and Prisma say it. */
const NOT_MIGRATED: ReadonlySet<unknown> = new Set(['42P01', '42703', 'P2021', 'P2022']);

/** What an error means to the user of the command line. */
export function explain(error: unknown): Explanation {
  if (error instanceof CommanderError) {
    const isMissing = error.code === 'commander.help';
    const line = isMissing ? 'a command is missing' : error.message.replace(/^error: /u, '');
    return { lines: [line], isUsage: true };
  }
  if (error instanceof Problem) {
    return { lines: error.details.map(({ message }) => message), isUsage: error.kind === 'invalid' };
  }
  if (error instanceof ConfigError || error instanceof CannotGoOn) return { lines: [error.message], isUsage: false };
  if (isDatabaseAway(error)) {
    return {
      lines: [`The database that DATABASE_URL names cannot be used now: ${lastLine(reasonOf(error))}`],
      isUsage: false,
    };
  }
  if (NOT_MIGRATED.has(codeOf(error))) {
    const line = 'The database does not have the tables of this version. Run `npx callout admin migrate` first.';
    return { lines: [line], isUsage: false };
  }
  return { lines: [`This failed: ${lastLine(reasonOf(error))}`], isUsage: false };
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
}

/** Prisma begins its messages with the call in Callout's code; what the database said comes last. */
function lastLine(message: string): string {
  return message.trim().split('\n').at(-1)?.trim() ?? '';
}

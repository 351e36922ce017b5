import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Problem } from '@callout/domain/problem/problem';
import type { CommandContext } from '../context.ts';

/** An object from a file of JSON; `-`: from stdin. Throws a Problem 400 with the error in it. */
export async function readJsonFile({ stdin }: CommandContext, file: string): Promise<Record<string, unknown>> {
  const place = file === '-' ? 'stdin' : file;
  const given = await read(stdin, file).catch((error: unknown) => {
    throw Problem.invalid(`${place} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
  const value = parse(given, place);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw Problem.invalid(`${place} must hold one JSON object`);
  }
  return value as Record<string, unknown>;
}

function read(stdin: CommandContext['stdin'], file: string): Promise<string> {
  return file === '-' ? text(stdin as AsyncIterable<Uint8Array>) : readFile(file, 'utf8');
}

function parse(given: string, place: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch (error) {
    throw Problem.invalid(`${place} is no JSON: ${(error as Error).message}`);
  }
}

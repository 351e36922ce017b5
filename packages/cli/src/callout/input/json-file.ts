import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Problem } from '@callout/domain/problem';
import type { CommandContext } from '../context.ts';

/** An object from a file of JSON; `-`: from stdin. Throws a Problem 400 with the error in it. */
export async function readJsonFile(context: CommandContext, file: string): Promise<Record<string, unknown>> {
  const value = await readJson(context, file);
  const place = placeOf(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw Problem.invalid(`${place} must hold one JSON object`);
  }
  return value as Record<string, unknown>;
}

/** The same for any JSON. */
export async function readJson(context: CommandContext, file: string): Promise<unknown> {
  return parse(await readTextFile(context, file), placeOf(file));
}

/** The same for any text. */
export async function readTextFile({ stdin }: CommandContext, file: string): Promise<string> {
  return read(stdin, file).catch((error: unknown) => {
    throw Problem.invalid(`${placeOf(file)} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
}

function placeOf(file: string): string {
  return file === '-' ? 'stdin' : file;
}

function read(stdin: CommandContext['stdin'], file: string): Promise<string> {
  return file === '-' ? text(stdin as AsyncIterable<Uint8Array>) : readFile(file, 'utf8');
}

function parse(json: string, place: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    throw Problem.invalid(`${place} is no JSON: ${(error as Error).message}`);
  }
}

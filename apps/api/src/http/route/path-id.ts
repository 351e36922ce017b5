import { Problem } from '@callout/domain/problem';

/**
 * The id of a path. A text without a number, or a number above the ids of the collection, names nothing (404); an
 * integer that JSON cannot represent exactly (above 2^53 - 1) is 400.
 */
export function pathId(text: string | undefined, maxId: number = Number.MAX_SAFE_INTEGER): number {
  if (text === undefined || !/^\d+$/.test(text)) throw Problem.notFound(`No matching records found: ${noId(text)}`);
  const id = Number(text);
  if (id > Number.MAX_SAFE_INTEGER) throw Problem.invalid(`An id must be ${Number.MAX_SAFE_INTEGER} or less.`, 'id');
  if (id > maxId || id < 1) throw Problem.notFound();
  return id;
}

function noId(text = ''): string {
  return `${JSON.stringify(text.slice(0, 100))} is no id, which is a whole number from 1`;
}

/** Ids of webhooks, their children and resources count from 1 and fit into 32 bits. */
export const MAX_SMALL_ID = 2 ** 31 - 1;

/** The id of an update's path; undefined where the body names the id. */
export function optionalPathId(text: string | undefined): number | undefined {
  return text === undefined ? undefined : pathId(text, MAX_SMALL_ID);
}

/** An id in a body: a number above all ids names nothing (404). */
export function knownId(id: number): number {
  if (id > MAX_SMALL_ID) throw Problem.notFound();
  return id;
}

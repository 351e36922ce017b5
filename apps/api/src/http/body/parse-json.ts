import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Problem } from '@callout/domain/problem';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import type { LongList } from './long-lists.ts';

/**
 * The value of a JSON text. The largest bodies take most of a second, and the items of long lists are parsed in pieces,
 * between which the rest of the process runs.
 * @param lists the long lists of the body, as `countJsonValues` found them.
 * @throws Problem (400) for text that does not parse.
 */
export async function parseJson(
  bytes: Buffer,
  lists: readonly LongList[],
  yieldToOthers = createYield(),
): Promise<unknown> {
  // Otherwise every broken byte would silently become U+FFFD.
  if (!isUtf8(bytes)) throw Problem.invalid('The body must be valid UTF-8.');
  // In the rest of the body a text stands for the items of each long list; no client can guess the text.
  const place = randomUUID();
  const parsedLists: unknown[][] = [];
  let [rest, end] = ['', 0];
  for (const { from, to, commas } of lists) {
    rest += `${bytes.toString('utf8', end, from)}"${place}${parsedLists.length}"`;
    end = to;
    const pieces: unknown[][] = [];
    for (const [nth, until] of [...commas, to].entries()) {
      await yieldToOthers();
      const piece = bytes.toString('utf8', nth === 0 ? from : (commas[nth - 1] ?? 0) + 1, until);
      const items = parseText(`[${piece}]`) as unknown[];
      // A comma too many.
      if (items.length === 0) throw notJson();
      pieces.push(items);
    }
    parsedLists.push(pieces.flat(1));
  }
  const body = parseText((rest + bytes.toString('utf8', end)).replace(/^\ufeff/u, ''), lists.length === 0);
  if (parsedLists.length > 0) fillIn(body, place, parsedLists);
  return body;
}

function parseText(text: string, isWhole = false): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(isWhole && cause instanceof Error ? /at position \d+/u.exec(cause.message)?.[0] : undefined);
  }
}

/** @param where the place in the body, if there is one. */
function notJson(where?: string): Problem {
  return Problem.invalid(`The body must be valid JSON${where === undefined ? '' : `: parsing fails ${where}`}.`);
}

/** Puts the items of long lists into their places, which are the body itself or its members. */
function fillIn(body: unknown, place: string, parsedLists: readonly unknown[][]): void {
  for (const list of [body, ...Object.values(body ?? {})] as unknown[]) {
    if (!Array.isArray(list) || typeof list[0] !== 'string' || !list[0].startsWith(place)) continue;
    const items = parsedLists[Number(list[0].slice(place.length))] ?? [];
    list.length = 0;
    // A spread of that many items might overflow the stack.
    for (const item of items) list.push(item);
  }
}

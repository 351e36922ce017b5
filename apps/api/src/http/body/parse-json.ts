import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Problem } from '@callout/domain/problem';
import { createYield } from '@callout/runtime/concurrency/yield-to-others';
import type { LongList } from './long-lists.ts';

const BYTE_ORDER_MARK = 0xfeff;

/**
 * The value of a JSON text. The largest bodies take most of a second, so the items of their long lists are parsed in
 * pieces, and the rest of the process runs in between.
 * @param lists the long lists of the body, as `countJsonValues` found them.
 * @throws Problem (400) for text that does not parse.
 */
export async function parseJson(
  bytes: Buffer,
  lists: readonly LongList[],
  yieldToOthers = createYield(),
): Promise<unknown> {
  // Else every broken byte would silently become U+FFFD.
  if (!isUtf8(bytes)) throw Problem.invalid('The body must be valid UTF-8.');
  // In the rest of the body one item stands for those of each long list; no client can know its text.
  const place = randomUUID();
  const found: unknown[][] = [];
  let [rest, end, charactersBefore] = ['', 0, 0];
  for (const { from, to, commas } of lists) {
    const between = bytes.toString('utf8', end, from);
    rest += `${between}"${place}${found.length}"`;
    charactersBefore += between.length;
    const items: unknown[] = [];
    let begin = from;
    for (const until of [...commas, to]) {
      await yieldToOthers();
      const piece = bytes.toString('utf8', begin, until);
      const parsed = parseText(`[${piece}]`, charactersBefore - 1) as unknown[];
      if (parsed.length === 0) throw notJson(charactersBefore);
      // A spread of so many might overflow the stack.
      for (const item of parsed) items.push(item);
      charactersBefore += piece.length + 1;
      begin = until + 1;
    }
    // No comma follows the last piece.
    charactersBefore -= 1;
    found.push(items);
    end = to;
  }
  const text = rest + bytes.toString('utf8', end);
  const body = parseText(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text, found.length === 0 ? 0 : null);
  fillIn(body, place, found);
  return body;
}

/** @param from how many characters of the body come before the text; null: no place of the body can be named. */
function parseText(text: string, from: number | null): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const at = cause instanceof Error ? /at position (\d+)/u.exec(cause.message)?.[1] : undefined;
    throw notJson(at === undefined || from === null ? null : from + Number(at));
  }
}

function notJson(at: number | null): Problem {
  return Problem.invalid(`The body must be valid JSON${at === null ? '' : `: parsing fails at position ${at}`}.`);
}

/** Puts the items of long lists into their places, which are the body itself or its members. */
function fillIn(body: unknown, place: string, found: readonly unknown[][]): void {
  if (found.length === 0 || typeof body !== 'object' || body === null) return;
  for (const list of [body, ...Object.values(body)] as unknown[]) {
    if (!Array.isArray(list) || typeof list[0] !== 'string' || !list[0].startsWith(place)) continue;
    const items = found[Number(list[0].slice(place.length))] ?? [];
    list.length = 0;
    for (const item of items) list.push(item);
  }
}

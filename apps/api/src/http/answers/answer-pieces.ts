import type { Answer } from '../answer.ts';

/** Small enough that what is read slowly is given back step by step, and large enough to cost nothing. */
export const PIECE_BYTES = 65_536;

/**
 * An answer as it is sent: a text where it is short, else its bytes in pieces. The items of a page are written one by one,
 * so that no text of the whole page is ever in memory, only bytes, which the heap does not hold. Its body is what
 * `JSON.stringify` takes; the items of a page under `items`.
 */
export function answerPieces({ body, parts = partsOf(body) }: Pick<Answer, 'body' | 'parts'>): string | Buffer[] {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    cutInto(pieces, text);
    text = '';
  }
  if (pieces.length === 0) return text;
  cutInto(pieces, text);
  return pieces;
}

/** The JSON of a body in parts that follow each other, one per item where it is a page. */
function* partsOf(body: unknown): Generator<string> {
  if (!isPage(body)) {
    yield JSON.stringify(body);
    return;
  }
  let before = '{';
  for (const [key, value] of Object.entries(body)) {
    if (key === 'items') yield* itemsOf(before, body.items);
    else if (value === undefined) continue;
    else yield `${before}${JSON.stringify(key)}:${JSON.stringify(value)}`;
    before = ',';
  }
  yield '}';
}

function* itemsOf(before: string, items: readonly unknown[]): Generator<string> {
  yield `${before}"items":[`;
  let comma = '';
  for (const item of items) {
    yield comma + JSON.stringify(item);
    comma = ',';
  }
  yield ']';
}

function isPage(body: unknown): body is { readonly items: readonly unknown[] } {
  return typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items);
}

function cutInto(pieces: Buffer[], text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
}

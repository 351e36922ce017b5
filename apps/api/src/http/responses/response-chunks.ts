import type { ApiResponse } from '../api-response.ts';

/** Small enough to release capacity step by step for slow readers, and large enough to cost nothing. */
export const CHUNK_BYTES = 65_536;

/**
 * A response in the form to be sent: a short text, or bytes in chunks. The items of a page are written in turn: memory
 * never has the text of the whole page, only bytes, which are outside the heap. The body is any value that
 * `JSON.stringify` accepts; the items of a page are under `items`.
 */
export function responseChunks({
  body,
  parts = partsOf(body),
}: Pick<ApiResponse, 'body' | 'parts'>): string | Buffer[] {
  const chunks: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < CHUNK_BYTES) continue;
    cutInto(chunks, text);
    text = '';
  }
  if (chunks.length === 0) return text;
  cutInto(chunks, text);
  return chunks;
}

/** The JSON of a body in parts that follow each other, a part per item of a page. */
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

function cutInto(chunks: Buffer[], text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) chunks.push(bytes.subarray(at, at + CHUNK_BYTES));
}

import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, type Zlib } from 'node:zlib';
import { Problem } from '@callout/domain/problem';
import { HttpProblem } from '../http-problem.ts';

/** The content codings that are read, as `Accept-Encoding` names them. */
export const readableCodings = 'gzip, deflate, br';

type Coding = 'gzip' | 'deflate' | 'br';

const codings: Readonly<Record<string, Coding | null>> = {
  '': null,
  identity: null,
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
};

/**
 * How a body is compressed; null: not at all. Throws an HttpProblem (415) for several codings, or for an unknown
 * coding.
 */
export function codingOf({ 'content-encoding': codingName = '' }: IncomingHttpHeaders): Coding | null {
  const coding = codings[codingName.trim().toLowerCase()];
  if (coding !== undefined) return coding;
  throw HttpProblem.unsupportedMediaType(
    `Content-Encoding must be one of ${readableCodings}, or left out.`,
    readableCodings,
  );
}

/** The beginning of a text that is JSON or XML; compressed bytes are not valid UTF-8. */
const TEXT = /^\s*[{[<"\d\-tfn]/u;

/**
 * Inflates a body after the last byte has arrived. A body without compression is accepted as well, since some clients
 * always send the header. `express.json` accepts bytes after the end of the data, and counts nothing while inflating
 * (`inflate.test.ts`).
 * @param take is called with the number of bytes before the bytes are stored; an error ends the inflating.
 * @throws a Problem: 413 as soon as the inflated bytes are more than `maxBytes`, 400 for data that is invalid, cut off,
 * or followed by more.
 */
export async function inflate(
  bytes: Buffer,
  coding: Coding,
  { maxBytes, take }: { readonly maxBytes: number; readonly take: (bytes: number) => void },
): Promise<Buffer> {
  if (isPlain(bytes, coding)) return bytes;
  const inflater = inflaterFor(coding, bytes);
  inflater.end(bytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    // Leaving the loop, by a failure too, destroys the inflater.
    for await (const chunk of inflater as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw Problem.tooLarge(`The body must be ${maxBytes} bytes or fewer when it is inflated`);
      take(chunk.length);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (!isBroken(cause)) throw cause;
    throw Problem.invalid(`The body is not valid ${coding} data, or is cut off: it cannot be inflated.`);
  }
  // Node refuses trailing data after gzip only; zeros after the end are padding.
  if (coding !== 'gzip' && inflater.bytesWritten !== bytes.length) {
    throw Problem.invalid(`The body has something after the end of its ${coding} data.`);
  }
  return Buffer.concat(chunks, length);
}

function isPlain(bytes: Buffer, coding: Coding): boolean {
  if (coding === 'gzip') return !(bytes[0] === 0x1f && bytes[1] === 0x8b) && isUtf8(bytes);
  return isUtf8(bytes) && TEXT.test(bytes.toString('utf8', 0, 100));
}

function inflaterFor(coding: Coding, bytes: Buffer): Transform & Zlib {
  if (coding === 'gzip') return createGunzip();
  if (coding === 'br') return createBrotliDecompress();
  // RFC 9110 means the zlib format; many clients send raw deflate.
  const [first = 0, second = 0] = bytes;
  const isZlib = (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
  return isZlib ? createInflate() : createInflateRaw();
}

/** Codes of zlib and brotli, like `Z_DATA_ERROR` and `ERR__ERROR_FORMAT_PADDING_1`. */
function isBroken(cause: unknown): boolean {
  const code = (cause as { code?: unknown }).code;
  return typeof code === 'string' && /^(?:Z_|ERR_(?:_|BROTLI))/u.test(code);
}

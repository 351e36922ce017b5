import type { IncomingMessage } from 'node:http';
import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { type BodyReservation, hasBody, readBytes, refuseTooLarge } from './body-bytes.ts';
import { codingOf } from './inflate.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { inexactNumbers } from './inexact-numbers.ts';
import { countJsonValues, LEAST_BYTES_PER_VALUE } from './json-shape.ts';
import type { LongList } from './long-lists.ts';
import { parseJson } from './parse-json.ts';
import { HttpProblem } from '../http-problem.ts';

const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?|text\/)json$/i;
const UTF8 = /^"?utf-?8"?$/i;

/** The bytes of a body, and the parsed value. */
export interface JsonBody {
  readonly bytes: Buffer;
  /** Undefined when there are no bytes. */
  readonly value: unknown;
  /** Warnings about what parsing has lost: digits of unquoted numbers, and values of duplicate keys. */
  readonly losses: readonly ProblemDetail[];
}

/** Of a request without a body. */
const NO_BODY: JsonBody = { bytes: Buffer.alloc(0), value: undefined, losses: [] };

const UNLIMITED_RESERVATION: BodyReservation = { acquire: () => undefined, ensure: () => undefined, usage: () => 0 };

/** The parsed JSON body of a request; undefined: no body. See `readBody`. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  return (await readBody(request, maxBytes)).value;
}

/**
 * The JSON body of a request. `express.json` parses a large body in a single block of the loop, takes any depth and
 * number of values, and drops digits and duplicate keys without a word (`hostile-json.test.ts`). Throws a `Problem`:
 * 413 above `maxBytes` and 429 or 503 without capacity (both before reading, when the length is announced), 408 when
 * the body stalls (see `watchProgress`), 415 for anything but JSON in UTF-8, plain or in a supported coding, 400 for
 * text that does not parse, is nested too deep or has too many values. A body without `Content-Type` is JSON when the
 * text parses, and else 415. The rest of a refused body is read and dropped, and the client receives the response; the
 * server's request timeout bounds the time.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  reservation: BodyReservation = UNLIMITED_RESERVATION,
): Promise<JsonBody> {
  const { headers } = request;
  if (!hasBody(headers)) return NO_BODY;
  refuseTooLarge(headers, maxBytes);
  checkMediaType(headers['content-type']);
  codingOf(headers);
  const bytes = await readBytes(request, maxBytes, reservation);
  if (bytes.length === 0) return NO_BODY;
  // A body of short values needs more capacity than the number of bytes shows.
  const [longNumbers, lists]: [number[], LongList[]] = [[], []];
  const values = countJsonValues(bytes, maxBytes, longNumbers, lists);
  reservation.acquire(Math.max(0, values * LEAST_BYTES_PER_VALUE - bytes.length));
  const value = await (isDeclared(headers['content-type']) ? parseJson(bytes, lists) : parseUndeclared(bytes, lists));
  return { bytes, value, losses: [...inexactNumbers(bytes, longNumbers), ...duplicateKeys(bytes, value, values)] };
}

/** Clients of the API family may send JSON without a Content-Type. */
function isDeclared(contentType: string | undefined): contentType is string {
  return contentType !== undefined && contentType.trim() !== '';
}

function checkMediaType(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim());
  if (isDeclared(contentType) && !JSON_TYPE.test(type)) throw HttpProblem.unsupportedMediaType(notJson(type));
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter))?.slice('charset='.length);
  if (charset !== undefined && !UTF8.test(charset)) {
    throw HttpProblem.unsupportedMediaType('The charset must be utf-8.');
  }
}

/** Most callers with this error make their first request, with curl. */
function notJson(type: string): string {
  const isForm = /^application\/x-www-form-urlencoded$/iu.test(type);
  const hint = isForm ? ": with -d, curl needs -H 'Content-Type: application/json', too" : '';
  return `Content-Type must be application/json, not ${type.slice(0, 100)}${hint}`;
}

async function parseUndeclared(bytes: Buffer, lists: readonly LongList[]): Promise<unknown> {
  try {
    return await parseJson(bytes, lists);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    throw HttpProblem.unsupportedMediaType('The body is not valid JSON, and has no Content-Type that says what it is.');
  }
}

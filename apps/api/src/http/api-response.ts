import type { ServerResponse } from 'node:http';
import type { ProblemDetail } from '@callout/domain/problem';
import type { UnknownName } from '@callout/domain/input/unknown-names';

/** The response of an endpoint: a status and a JSON body. */
export interface ApiResponse {
  readonly status: number;
  readonly body: unknown;
  /** A text in consecutive parts that replaces `body` as JSON. The `headers` declare the type of the text. */
  readonly parts?: Iterable<string>;
  /** Headers besides the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Writes a response without a defined end, in place of a body. May throw a Problem before it writes.
   * @param isAllowed whether the caller may still read the response; checked periodically.
   */
  readonly stream?: (response: ServerResponse, isAllowed: () => Promise<boolean>) => void;
}

/** 200 with a body: the response of every call except an accepted batch of events. */
export function ok(body: unknown): ApiResponse {
  return { status: 200, body };
}

/** A whole list, without further pages. @param most how many items the list may have. */
export function wholeList(items: readonly unknown[], most = items.length): ApiResponse {
  return ok({ items, pageDetails: { count: items.length, requestCount: most, prevPageUrl: null, nextPageUrl: null } });
}

/** A single record. */
export function item(record: unknown): ApiResponse {
  return ok({ item: record });
}

/** The response of create, update and delete; `warnings` are sentences about probable mistakes of the caller. */
export function itemId(
  id: number,
  warnings: readonly string[] = [],
  unknownNames: readonly UnknownName[] = [],
): ApiResponse {
  return ok({ itemId: id, ...warningsOf(unknownNames, warnings) });
}

/** Keys of a response about ignored names, with similar names, and further `warnings`. Empty keys are left out. */
export function warningsOf(
  unknownNames: readonly UnknownName[],
  warnings: readonly string[] = [],
): { ignored?: string[]; warnings?: string[] } {
  const sentences = [...unknownNames.map(({ message }) => message), ...warnings];
  return {
    ...(unknownNames.length > 0 && { ignored: unknownNames.map(({ name }) => name) }),
    ...(sentences.length > 0 && { warnings: sentences }),
  };
}

/** The response with more warnings, after the warnings of the endpoint. */
export function withWarnings(response: ApiResponse, more: readonly ProblemDetail[]): ApiResponse {
  const { body, stream, parts } = response;
  if (more.length === 0 || stream !== undefined || parts !== undefined) return response;
  const { warnings = [] } = body as { warnings?: readonly string[] };
  return { ...response, body: { ...(body as object), warnings: [...warnings, ...more.map(({ message }) => message)] } };
}

/** Writes a response that is small or shared by all readers; `UnsentResponses` writes larger ones. */
export function send(
  response: ServerResponse,
  apiResponse: ApiResponse,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = apiResponse.parts === undefined ? JSON.stringify(apiResponse.body) : [...apiResponse.parts].join('');
  writeHead(response, apiResponse, Buffer.byteLength(text), headers);
  response.end(text);
}

/**
 * Writes status and headers of a response with a JSON body of `bytes` bytes. The `json` of Express reads five settings
 * for each body. No cache keeps the response.
 */
export function writeHead(
  response: ServerResponse,
  apiResponse: ApiResponse,
  bytes: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(apiResponse.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
    ...apiResponse.headers,
    ...headers,
  });
}

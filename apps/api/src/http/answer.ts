import type { ServerResponse } from 'node:http';
import type { UnknownName } from '@callout/core/input';

/** What an endpoint answers: a status and a JSON body. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** What is sent in place of `body` as JSON: a text in parts that follow each other. Its `headers` say what it is. */
  readonly parts?: Iterable<string>;
  /** Beside those that every answer has. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Writes an answer that goes on for as long as both sides like, in place of a body. May throw a Problem before it writes.
   * @param isAllowed whether the caller may still have it; asked from time to time.
   */
  readonly stream?: (response: ServerResponse, isAllowed: () => Promise<boolean>) => void;
}

/** 200 with a body, which is how every call but an accepted batch of events is answered. */
export function ok(body: unknown): Answer {
  return { status: 200, body };
}

/** One record. */
export function item(record: unknown): Answer {
  return ok({ item: record });
}

/** What create, update and delete answer; `warnings` are sentences about what the caller may not have meant. */
export function itemId(
  id: number,
  warnings: readonly string[] = [],
  unknownNames: readonly UnknownName[] = [],
): Answer {
  return ok({ itemId: id, ...told(unknownNames, warnings) });
}

/** The names that were ignored, and what may have been meant, besides other `warnings`; nothing of what is empty. */
export function told(
  unknownNames: readonly UnknownName[],
  warnings: readonly string[] = [],
): { ignored?: string[]; warnings?: string[] } {
  const sentences = [...unknownNames.map(({ message }) => message), ...warnings];
  return {
    ...(unknownNames.length > 0 && { ignored: unknownNames.map(({ name }) => name) }),
    ...(sentences.length > 0 && { warnings: sentences }),
  };
}

/** Writes an answer that is small or the same for all; see `UnsentAnswers` for the others. */
export function send(response: ServerResponse, answer: Answer, headers: Readonly<Record<string, string>> = {}): void {
  const text = answer.parts === undefined ? JSON.stringify(answer.body) : [...answer.parts].join('');
  writeHead(response, answer, Buffer.byteLength(text), headers);
  response.end(text);
}

/**
 * Writes status and headers of an answer whose JSON has that many bytes. Express's own `json` hashes each body for an ETag
 * and reads five settings on the way; answers here are never cached.
 */
export function writeHead(
  response: ServerResponse,
  answer: Answer,
  bytes: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(answer.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes,
    'Cache-Control': 'no-store',
    ...answer.headers,
    ...headers,
  });
}

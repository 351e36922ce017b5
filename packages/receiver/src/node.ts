import { type Answer, answers } from './receiver/answer.ts';
import { joinBytes, type RawBody } from './verify/bytes.ts';
import type { RequestHeaders } from './verify/headers.ts';
import type { Receiver } from './receiver/receiver.ts';

/** How many times the largest body is read and thrown away before the connection is closed. */
const DISCARD_TIMES = 4;

/** What is used of an `IncomingMessage`, so that types of Node are not needed. A parser may have kept the body. */
interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: RequestHeaders;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly complete: boolean;
  readonly readableEnded: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of a `ServerResponse`. */
interface NodeResponse {
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}

/**
 * Puts a receiver behind an address of `node:http` or Express: `createServer(nodeHandler(receiver))`,
 * `app.post('/callouts', nodeHandler(receiver))`.
 *
 * Mount it before `express.json()`: the signature is that of the bytes, which a parser does not keep. `express.raw()`
 * and the `rawBody` of cloud functions are taken as they are.
 */
export function nodeHandler(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => void respond(receiver, request, response);
}

async function respond(receiver: Receiver, request: NodeRequest, response: NodeResponse): Promise<void> {
  const answer = await answerTo(receiver, request);
  if (response.destroyed) return;
  // What is left of a body that is too large is not read.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(answer.status, { ...answer.headers }).end(answer.body);
}

async function answerTo(receiver: Receiver, request: NodeRequest): Promise<Answer> {
  if (request.method !== 'POST') return answers.onlyPost;
  try {
    const body = await rawBodyOf(request, receiver.maxBodyBytes);
    return body === undefined ? answers.tooLarge(receiver.maxBodyBytes) : await receiver.receive(body, request.headers);
  } catch (error) {
    return receiver.refuse(error);
  }
}

/** @returns undefined for a body that is too large. */
async function rawBodyOf(request: NodeRequest, maxBytes: number): Promise<RawBody | undefined> {
  for (const kept of [request.rawBody, request.body]) {
    if (typeof kept === 'string') return kept;
    if (kept instanceof Uint8Array) return kept.length > maxBytes ? undefined : kept;
  }
  if (request.readableEnded) {
    throw new TypeError('The body was parsed before the receiver saw it. Mount the receiver before express.json().');
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Not `for await`: leaving it early would destroy the request, and with it the answer.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      // A connection with unread bytes is reset, and the sender never sees the answer: read on, but not for ever.
      else if (length > DISCARD_TIMES * maxBytes) resolve(undefined);
    });
    request.once('end', () => resolve(length > maxBytes ? undefined : joinBytes(chunks)));
    request.once('error', reject);
    request.once('close', () => reject(new Error('The connection ended before the body did.')));
  });
}

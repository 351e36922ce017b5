import { type Answer, answers } from './receiver/answer.ts';
import { type BodyStream, readBody } from './receiver/read-body.ts';
import type { RawBody } from './verify/bytes.ts';
import type { RequestHeaders } from './verify/headers.ts';
import type { Receiver } from './receiver/receiver.ts';

/** The used parts of an `IncomingMessage`: types of Node are not needed. A parser may have kept the body. */
interface NodeRequest extends BodyStream {
  readonly method?: string | undefined;
  readonly headers: RequestHeaders;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly complete: boolean;
  readonly readableEnded: boolean;
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
 * Mount it before `express.json()`: the signature covers the bytes, which a parser does not keep. `express.raw()` and
 * the `rawBody` of cloud functions are taken unchanged.
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
  return readBody(request, maxBytes);
}

import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { send } from '../api-response.ts';
import { inTurn } from './in-turn.ts';

/** How long a client may take to read a refusal and close. */
const LINGER_MS = 1_000;

const NO_HTTP = 'This is not a valid HTTP request.';
const TOO_LONG =
  'The address and the headers of the request are too long together (16 KB). ' +
  'Send a long query as the body of POST …/query, not as ?search=.';

/**
 * Lets the application serve requests, and refuses malformed requests with the envelope of every failure, where Node
 * would send no body or no response at all. Node refuses most of them before a middleware runs (`app.test.ts`).
 */
export function refuseMalformedRequests(server: Server, app: RequestListener): void {
  /** The response to the latest request of each connection. */
  const latest = new WeakMap<Duplex, ServerResponse>();
  const serve = inTurn((request, response) => {
    const fault = faultOf(request);
    if (fault === undefined) app(request, response);
    else refuse(response, 400, fault);
  });
  server.on('request', (request, response) => {
    latest.set(request.socket, response);
    serve(request, response);
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    refuse(response, 417, 'Expect may be 100-continue only.');
  });
  server.on('connect', (_request, socket) => {
    // Node handles errors of the socket no more.
    socket.on('error', () => socket.destroy());
    refuseRaw(socket, 400, 'This server is not a proxy.');
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (isCutShort(latest.get(socket))) socket.end(() => destroySoon(socket));
    else refuseRaw(socket, ...malformed(error.code));
  });
}

/**
 * Requests that a proxy in front of the server might read differently than Node does (RFC 9112, sections 3.2 and 6.1),
 * and disagree with Node about the recipient or the end of a request.
 */
function faultOf({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  const hosts = countHosts(rawHeaders);
  if (hosts === 0 && httpVersion === '1.1') return 'The request must have the header Host.';
  if (hosts > 1) return 'The request must have the header Host once.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked')
    return 'Transfer-Encoding may be chunked only.';
  return undefined;
}

/** Names and values alternately. `headers` has the first of several, and `headersDistinct` is made for each request. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts;
}

const HOST = 'host';

/**
 * Whether a response has begun before the request was complete: a second response would be read as the response to the
 * next request.
 */
function isCutShort(response: ServerResponse | undefined): boolean {
  return response !== undefined && response.headersSent && !response.req.complete;
}

function malformed(code: string | undefined): [status: number, message: string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, TOO_LONG];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive.'];
  return [400, NO_HTTP];
}

function envelope(message: string) {
  return { errors: [message], details: [{ code: 'malformed', message }] };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  send(response, { status, body: envelope(message) }, { Connection: 'close' });
}

/** Where there is no response to write to. */
function refuseRaw(socket: Duplex, status: number, message: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(envelope(message));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => destroySoon(socket),
  );
}

/**
 * A half-closed connection would stay open for as long as the client likes, with all resources of the request. Closing
 * at once would be too early: with unread data the system resets the connection, and the response is lost on the way.
 */
function destroySoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

import { STATUS_CODES, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { send } from '../answer.ts';

/** How long a client may take to read a refusal and close. */
const LINGER_MS = 1_000;

const NO_HTTP = 'This is not a valid HTTP request.';
const TOO_LONG =
  'The address and the headers of the request are too long together (16 KB). ' +
  'Send a long query as the body of POST …/query, not as ?search=.';

/**
 * Lets the application serve requests, and refuses what never gets to be one: it is answered in the same envelope as every
 * other failure, where Node would answer without a body or not at all.
 */
export function refuseOddRequests(server: Server, app: RequestListener): void {
  /** The answer to the latest request of each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, response) => {
    answers.set(request.socket, response);
    const fault = faultOf(request);
    if (fault === undefined) app(request, response);
    else refuse(response, 400, fault);
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    refuse(response, 417, 'Expect may be 100-continue only.');
  });
  server.on('connect', (_request, socket) => {
    // Node handles errors of this socket no more.
    socket.on('error', () => socket.destroy());
    refuseRaw(socket, 400, 'This server is not a proxy.');
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else if (isAnsweredHalf(answers.get(socket))) socket.end(() => destroySoon(socket));
    else refuseRaw(socket, ...malformed(error.code));
  });
}

/**
 * What a proxy in front of this server might read in another way than Node does (RFC 9112, sections 3.2 and 6.1), so that
 * the two disagree about whom a request is for, or where it ends.
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

/** Whether a request is answered, though not all of it has come: a second answer would be taken for that of the next one. */
function isAnsweredHalf(answer: ServerResponse | undefined): boolean {
  return answer !== undefined && answer.headersSent && !answer.req.complete;
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
 * Half-closed, a connection would stay open for as long as the client likes, and with it what its request holds. At once
 * would be too early: where something is unread, the system resets the connection, and the answer is lost on its way.
 */
function destroySoon(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
}

import { STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { send } from '../answer.ts';

const NO_HTTP = 'This is not a valid HTTP request.';
const TOO_LONG =
  'The address and the headers of the request are too long together (16 KB). ' +
  'Send a long query as the body of POST …/query, not as ?search=.';

/**
 * Lets the application serve requests, and refuses what never gets to be one: it is answered in the same envelope as every
 * other failure, where Node would answer without a body or not at all.
 */
export function refuseOddRequests(server: Server, app: RequestListener): void {
  server.on('request', (request, response) => {
    const isHostMissing = request.headers.host === undefined && request.httpVersion === '1.1';
    if (isHostMissing) refuse(response, 400, 'The request must have the header Host.');
    else app(request, response);
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    refuse(response, 417, 'Expect may be 100-continue only.');
  });
  server.on('connect', (_request, socket) => {
    // It is ours alone from here on, and with it what goes wrong on it.
    socket.on('error', () => socket.destroy());
    refuseRaw(socket, 400, 'This server is no proxy.');
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseRaw(socket, ...malformed(error.code));
  });
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
  );
}

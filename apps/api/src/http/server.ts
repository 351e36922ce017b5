import { once } from 'node:events';
import { createServer, STATUS_CODES, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A whole request, body included, must be here within this time: slow senders hold a connection, nothing else. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than the idle time of common load balancers (60 s), so that they, not we, close a connection they may reuse. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_POLL_MS = 50;
/** How long a closing server waits for the rest of requests that are only half there. */
const SENDER_PATIENCE_MS = 5_000;

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /**
   * Takes no new connection, lets requests in flight finish, resolves when the last connection is closed. One whose sender
   * does not get to the end of his request in time is cut off.
   */
  close(): Promise<void>;
}

/** Listens. Rejects when the port is taken or the host is not this machine's. */
export async function startHttpServer(
  app: RequestListener,
  host: string,
  port: number,
  senderPatienceMs: number = SENDER_PATIENCE_MS,
): Promise<HttpServer> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    },
    app,
  );
  server.on('clientError', refuseMalformed);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  /** The requests that are being read or answered. */
  const inFlight = new Map<Socket, IncomingMessage>();
  server.prependListener('request', (request, response) => {
    inFlight.set(request.socket, request);
    response.once('close', () => {
      if (inFlight.get(request.socket) === request) inFlight.delete(request.socket);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    host: address.address,
    port: address.port,
    async close() {
      const closed = once(server, 'close');
      const cutOffAtMs = performance.now() + senderPatienceMs;
      server.close();
      const poll = setInterval(() => {
        // A connection that was busy goes idle after its answer and would stay open for the next request.
        server.closeIdleConnections();
        // One on which nothing has come yet, opened in advance by a pool or a browser, is not idle to Node.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
        if (performance.now() < cutOffAtMs) return;
        // Nobody was promised anything yet: neither where the headers nor where the body is still on its way.
        for (const socket of connections) if (inFlight.get(socket)?.complete !== true) socket.destroy();
      }, DRAIN_POLL_MS);
      await closed;
      clearInterval(poll);
    },
  };
}

/** What is no HTTP never reaches Express; it gets the same envelope as every other failure. */
function refuseMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = malformed(error.code);
  const body = JSON.stringify({ errors: [message], details: [{ code: 'malformed', message }] });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const TOO_LONG =
  'The address and the headers of the request are too long together (16 KB). ' +
  'Send a long query as the body of POST …/query, not as ?search=.';

function malformed(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, TOO_LONG];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'The request took too long to arrive.'];
  return [400, 'This is not a valid HTTP request.'];
}

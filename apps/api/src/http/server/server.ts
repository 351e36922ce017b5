import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { refuseMalformedRequests } from './malformed-requests.ts';

/** A whole request, body included, must arrive within this time: a slow sender occupies only its connection. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
/**
 * Longer than the idle time of common load balancers (60 s), since the balancer, not the server, should close a
 * connection.
 */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_POLL_MS = 50;
/** How long a closing server waits for the rest of incomplete requests. */
const SENDER_PATIENCE_MS = 5_000;
/** How long a closing server keeps connections without a request: a request on the way still gets a response. */
const IDLE_PATIENCE_MS = 1_000;
/** How long reading a whole response may take: the response is in memory until then. */
const READER_PATIENCE_MS = 120_000;

interface Patience {
  readonly senderPatienceMs?: number;
  readonly idlePatienceMs?: number;
  readonly readerPatienceMs?: number;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /**
   * Accepts no new connection, lets requests in flight finish, resolves when the last connection is closed. From now on
   * each response has `Connection: close`, and clients go elsewhere; connections without a request are closed a moment
   * later, since a request may be on the way. A request that is not complete in time is cut off.
   */
  close(): Promise<void>;
}

/**
 * Listens. The `listen` of Express has no limits for slow senders and readers, and its `close` waits for all of them
 * (`server.test.ts`). Rejects when the port is in use, or the host is not of the machine.
 */
export async function startHttpServer(
  app: RequestListener,
  host: string,
  port: number,
  {
    senderPatienceMs = SENDER_PATIENCE_MS,
    idlePatienceMs = IDLE_PATIENCE_MS,
    readerPatienceMs = READER_PATIENCE_MS,
  }: Patience = {},
): Promise<HttpServer> {
  const server = createServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Node's own refusal has no body.
    requireHostHeader: false,
  });
  refuseMalformedRequests(server, app);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      // A response that waits for an earlier response of the connection gets no `close`.
      inFlight.delete(socket);
    });
  });
  /** The latest unfinished request of each connection. */
  const inFlight = new Map<Socket, ServerResponse>();
  let isClosing = false;
  server.prependListener('request', (request, response) => {
    inFlight.set(request.socket, response);
    if (isClosing) announceEnd(response);
    response.once('close', () => {
      if (inFlight.get(request.socket) === response) inFlight.delete(request.socket);
    });
    response.once('prefinish', () => cutOffLater(request.socket, response, readerPatienceMs));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    host: address.address,
    port: address.port,
    async close() {
      const closed = once(server, 'close');
      const startedAtMs = performance.now();
      isClosing = true;
      for (const response of inFlight.values()) announceEnd(response);
      // Right after new connections were accepted: no connection with a request waits there unseen.
      setImmediate(() => stopListening(server));
      const poll = setInterval(() => {
        const passedMs = performance.now() - startedAtMs;
        if (passedMs >= idlePatienceMs) {
          server.closeIdleConnections();
          // A connection without any byte, opened in advance by a pool or a browser, is not idle to Node.
          for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
        }
        if (passedMs < senderPatienceMs) return;
        // Nothing is promised before a request is complete: headers or body are still on the way.
        for (const socket of connections) if (inFlight.get(socket)?.req.complete !== true) socket.destroy();
      }, DRAIN_POLL_MS);
      await closed;
      clearInterval(poll);
      // Ends the checks for slow requests, as Node's own close does.
      server.close();
    },
  };
}

/** Takes no new connection. Node's `close` of an HTTP server would end idle connections at once. */
function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Announces to the client that the connection ends with a response, unless the response has begun. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Closes the connection of a client that reads no response. */
function cutOffLater(socket: Socket, response: ServerResponse, patienceMs: number): void {
  // Most responses reach the system at once.
  if (socket.writableLength === 0) return;
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  response.once('close', () => clearTimeout(timer));
}

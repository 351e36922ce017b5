import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { refuseOddRequests } from './odd-requests.ts';

/** A whole request, body included, must be here within this time: slow senders hold a connection, nothing else. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 15_000;
/** Longer than the idle time of common load balancers (60 s), so that they, not we, close a connection they may reuse. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_POLL_MS = 50;
/** How long a closing server waits for the rest of requests that are only half there. */
const SENDER_PATIENCE_MS = 5_000;
/** How long a closing server keeps connections without a request: what is on its way to them is still answered. */
const IDLE_PATIENCE_MS = 1_000;
/** How long a whole answer may take to be read: until then it is in memory. */
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
   * Takes no new connection, lets requests in flight finish, resolves when the last connection is closed. From now on each
   * answer says `Connection: close`, so that clients go elsewhere; connections without a request are closed a moment later
   * only, since a request may be on its way to them. A request that is not complete in time
   * is cut off.
   */
  close(): Promise<void>;
}

/** Listens. Rejects when the port is taken or the host is not this machine's. */
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
  refuseOddRequests(server, app);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  /** The requests that are being read or answered. */
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
      // Right after the system was asked for new connections, so that none with a request waits there unseen.
      setImmediate(() => stopListening(server));
      const poll = setInterval(() => {
        const passedMs = performance.now() - startedAtMs;
        if (passedMs >= idlePatienceMs) {
          server.closeIdleConnections();
          // One on which nothing has come yet, opened in advance by a pool or a browser, is not idle to Node.
          for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
        }
        if (passedMs < senderPatienceMs) return;
        // Nothing is promised before a request is complete: its headers or its body are still on their way.
        for (const socket of connections) if (inFlight.get(socket)?.req.complete !== true) socket.destroy();
      }, DRAIN_POLL_MS);
      await closed;
      clearInterval(poll);
      // Ends what Node's own close would have ended: its checks for slow requests.
      server.close();
    },
  };
}

/** Takes no new connection. Node's `close` of an HTTP server would end idle connections with it, at this very moment. */
function stopListening(server: Server): void {
  NetServer.prototype.close.call(server);
}

/** Tells the client that its connection ends with this answer; one that has begun can say so no more. */
function announceEnd(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** Closes the connection of a client that does not read its answer. */
function cutOffLater(socket: Socket, response: ServerResponse, patienceMs: number): void {
  // Most answers are with the system at once.
  if (socket.writableLength === 0) return;
  const timer = setTimeout(() => socket.destroy(), patienceMs);
  response.once('close', () => clearTimeout(timer));
}

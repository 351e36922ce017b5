import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { expiredCertificate, testCertificate, testKey } from './certificates.ts';

/** A request in its raw bytes. */
export interface RawRequest {
  /** Request line and headers, as spelled. */
  readonly head: string;
  readonly body: Buffer;
  /** The name that the client requested in TLS, false when it sent none; undefined without TLS. */
  readonly servername: string | false | undefined;
}

/** Answers a request by writing to its connection, in HTTP or not. */
export type RawScript = (connection: Socket, request: RawRequest, nth: number) => void;

export interface RawReceiver {
  readonly port: number;
  readonly requests: readonly RawRequest[];
  /** The number of connections so far, and of those still open. */
  readonly connections: () => number;
  readonly open: () => number;
  /** The most that were open at the same time. */
  readonly mostOpen: () => number;
  /** Resolves when no connection is open. */
  readonly whenClosed: () => Promise<void>;
  /** Resolves when this many requests have come. */
  readonly whenRequested: (count: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface RawReceiverOptions {
  host?: string;
  port?: number;
  /** 'renegotiable': the last version in which either side may start another handshake. */
  tls?: 'valid' | 'expired' | 'renegotiable';
  /** Does not wait for a request. */
  onConnect?: (connection: Socket) => void;
}

/** A receiver that writes exactly the given bytes, so that it can respond as no HTTP server would. */
export async function startRawReceiver(script: RawScript, options: RawReceiverOptions = {}): Promise<RawReceiver> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const changes = new EventEmitter();
  let connections = 0;
  let mostOpen = 0;

  async function when(fact: () => boolean): Promise<void> {
    while (!fact()) await once(changes, 'change');
  }

  function accept(socket: Socket): void {
    // Errors of a connection are for the sender to judge.
    socket.on('error', () => socket.destroy());
    readRequests(socket, (request) => {
      requests.push(request);
      changes.emit('change');
      script(socket, request, requests.length);
    });
  }

  const server = createListener(options.tls, accept);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    mostOpen = Math.max(mostOpen, sockets.size);
    socket.once('close', () => {
      sockets.delete(socket);
      changes.emit('change');
    });
    options.onConnect?.(socket);
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => connections,
    open: () => sockets.size,
    mostOpen: () => mostOpen,
    whenClosed: () => when(() => sockets.size === 0),
    whenRequested: (count) => when(() => requests.length >= count),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A response of HTTP/1.1 with its length. */
export function answer(status: number | string, body: string | Buffer = '', headers: readonly string[] = []): Buffer {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), Buffer.from(body)]);
}

/** Writes something again and again until the other side has had enough. */
export function forever(connection: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => connection.write(piece), everyMs);
  connection.once('close', () => clearInterval(timer));
}

/** Writes data as fast as it is read. */
export function flood(connection: Socket, piece: string): void {
  const write = () => {
    while (!connection.destroyed && connection.write(piece));
  };
  connection.on('drain', write);
  write();
}

function createListener(tls: RawReceiverOptions['tls'], accept: (socket: Socket) => void): Server {
  if (!tls) return createServer(accept);
  const cert = tls === 'expired' ? expiredCertificate : testCertificate;
  const maxVersion = tls === 'renegotiable' ? 'TLSv1.2' : 'TLSv1.3';
  const server = createTlsServer({ key: testKey, cert, maxVersion }, accept);
  // Some tests are about clients that refuse the certificate.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    pending = Buffer.concat([pending, piece]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = pending.toString('latin1', 0, headEnd);
      const bodyEnd = headEnd + 4 + Number(/^content-length: (\d+)$/imu.exec(head)?.[1] ?? 0);
      if (pending.length < bodyEnd) return;
      const body = Buffer.from(pending.subarray(headEnd + 4, bodyEnd));
      pending = pending.subarray(bodyEnd);
      onRequest({ head, body, servername: socket instanceof TLSSocket ? (socket.servername ?? false) : undefined });
    }
  });
}

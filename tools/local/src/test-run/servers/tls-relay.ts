import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { listenOnLoopback, LOOPBACK } from '../../process/local-port.ts';
import { localhostCertificate as cert, localhostKey as key } from './localhost-certificate.ts';

export interface TlsRelay {
  port: number;
  /** PEM of the authority that signed its certificate, which is for `localhost`. */
  ca: string;
  /** Connections whose handshake was completed so far. */
  handshakes: () => number;
  stop: () => Promise<void>;
}

export interface TlsRelayOptions {
  /** Where the server without TLS listens. */
  port: number;
  /** `postgres`: the client requests TLS in plain text first. */
  protocol?: 'postgres';
}

/** Bytes of PostgreSQL's SSLRequest. */
const SSL_REQUEST_LENGTH = 8;

/** Adds TLS to a local server, so that tests have a server with it. */
export async function startTlsRelay({ port, protocol }: TlsRelayOptions): Promise<TlsRelay> {
  const secureContext = createSecureContext({ cert, key });
  const sockets = new Set<Socket>();
  let handshakes = 0;

  async function relay(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (protocol === 'postgres') {
      await once(socket, 'readable');
      // A connection that does not request TLS gets no response.
      if ((socket.read() as Buffer | null)?.length !== SSL_REQUEST_LENGTH) return void socket.destroy();
      socket.write('S');
    }
    const secure = new TLSSocket(socket, { isServer: true, secureContext });
    secure.once('secure', () => (handshakes += 1));
    const upstream = connect(port, LOOPBACK);
    for (const [from, to] of [
      [secure, upstream],
      [upstream, secure],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }

  const server = createServer((socket) => {
    relay(socket).catch(() => socket.destroy());
  });
  const ownPort = await listenOnLoopback(server);
  return {
    port: ownPort,
    ca: cert,
    handshakes: () => handshakes,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

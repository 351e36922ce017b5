import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { listenOnLoopback, LOOPBACK } from '../../process/local-port.ts';
import { makeOwnCertificate } from './own-certificate.ts';

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
  /** `postgres`: the client asks in the clear first whether it may begin with TLS. */
  protocol?: 'postgres';
}

/** Bytes of PostgreSQL's SSLRequest. */
const SSL_REQUEST_LENGTH = 8;

/** Puts TLS in front of a local server, so that tests meet a server that speaks it. */
export async function startTlsRelay({ port, protocol }: TlsRelayOptions): Promise<TlsRelay> {
  const { cert, key } = makeOwnCertificate();
  const secureContext = createSecureContext({ cert, key });
  const sockets = new Set<Socket>();
  let handshakes = 0;

  async function relay(socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (protocol === 'postgres') {
      await once(socket, 'readable');
      // What comes without asking for TLS gets no answer.
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

import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/**
 * What the proxy does with a request: connects, connects to addresses of IPv4 alone, answers with another status, or
 * never answers.
 */
export type ConnectScript = 'connect' | 'ipv4' | 'hang' | number;

export interface ConnectProxy {
  readonly port: number;
  /** The targets that were asked for, and the credentials beside them. */
  readonly requests: readonly { readonly target: string; readonly authorization: string | undefined }[];
  readonly script: (script: ConnectScript) => void;
  readonly stop: () => Promise<void>;
}

/** An HTTP proxy on 127.0.0.1 that makes tunnels (CONNECT). */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const requests: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  let present: ConnectScript = 'connect';
  const server = createServer();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  });
  server.on('connect', ({ url: target = '', headers }, client: Socket) => {
    requests.push({ target, authorization: headers['proxy-authorization'] });
    if (present === 'hang') return;
    if (typeof present === 'number' || (present === 'ipv4' && target.startsWith('['))) {
      client.end(`HTTP/1.1 ${present === 'ipv4' ? 503 : present} No\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(`http://${target}`);
    const upstream = connect(Number(port || '80'), hostname.replaceAll(/[[\]]/gu, ''), () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    script: (script) => void (present = script),
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The address of a server that can be moved to another one, like a load balancer or a virtual IP. */
export interface MovableAddress {
  readonly port: number;
  /** From now on connections go there; existing ones end. */
  moveTo(port: number): void;
  stop(): Promise<void>;
}

/** @param port where connections go at first, on 127.0.0.1. */
export async function startMovableAddress(port: number): Promise<MovableAddress> {
  let target = port;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    const hangUp = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', hangUp).on('close', () => {
        sockets.delete(socket);
        hangUp();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(to) {
      target = to;
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

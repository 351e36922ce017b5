import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health, HealthAnswer } from './health.ts';

interface HealthServerOptions {
  readonly health: Health;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /healthz` and `GET /readyz` and nothing else, for a process without an API of its own.
 * Rejects when the port is taken.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body } = await answerTo(options.health, request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  }

  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerTo(
  health: Health,
  url: string,
): Promise<HealthAnswer | { status: 404; body: { status: string } }> {
  const path = url.split('?', 1)[0]?.replace(/\/+$/, '').toLowerCase();
  if (path === '/healthz') return health.live();
  if (path === '/readyz') return health.ready();
  return { status: 404, body: { status: 'not found' } };
}

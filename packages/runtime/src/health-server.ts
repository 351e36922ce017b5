import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from './health.ts';
import type { Logger } from './log/logger.ts';
import type { Metrics } from './metrics/registry.ts';

interface HealthServerOptions {
  readonly log: Pick<Logger, 'warn'>;
  readonly health: Health;
  readonly host: string;
  /** 0 uses any free port. */
  readonly port: number;
  /** The content of `/metrics`. */
  readonly metrics: Metrics;
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /healthz`, `/readyz` and `/metrics` and nothing else, for a process without an API of its own.
 * Rejects when the port is taken.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => void respond(request, response));

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request.url);
    if (path === '/metrics') await sendMetrics(response);
    else if (path === '/healthz') sendJson(response, options.health.live());
    else if (path === '/readyz') sendJson(response, await options.health.ready());
    else sendJson(response, { status: 404, body: { status: 'not found' } });
  }

  async function sendMetrics(response: ServerResponse): Promise<void> {
    try {
      const text = await options.metrics.text();
      response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text);
    } catch (err) {
      options.log.warn({ err }, 'metrics could not be read');
      sendJson(response, { status: 503, body: { status: 'not known now, see the log' } });
    }
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

/** The path of a request, in lower case and without slashes at its end. */
function pathOf(url = ''): string {
  const [path = ''] = url.split('?', 1);
  let end = path.length;
  // Not by a regular expression: many slashes before something else would cost the square of their number.
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end).toLowerCase();
}

function sendJson(response: ServerResponse, { status, body }: { status: number; body: object }): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback, LOOPBACK } from '@callout/local/process';

/** The response of a receiver to a request. */
export type ScriptedResponse =
  | {
      status: number;
      headers?: Readonly<Record<string, string>>;
      body?: string | Buffer;
      delayMs?: number;
      /** It responds when this is resolved. */
      after?: Promise<void>;
    }
  /** Reads the request and never responds. */
  | 'hang'
  /** Breaks the connection without a response. */
  | 'reset';

export interface ReceivedRequest {
  method: string;
  /** Path and query as they were sent. */
  path: string;
  /** Names in lower case. */
  headers: IncomingMessage['headers'];
  /** The bytes that arrived. */
  body: Buffer;
  receivedAt: Date;
}

/** @param nth how many requests this path has had, this one included. */
export type Script = ScriptedResponse | ((request: ReceivedRequest, nth: number) => ScriptedResponse);

export interface ScriptedReceiver {
  port: number;
  /** URL of a path here; default `/`. */
  url: (path?: string) => string;
  /** Sets the response to requests of a path; a function is called for each request. Other paths respond with 200. */
  script: (path: string, script: Script) => void;
  /** Requests that arrived whole, oldest first; of one path, or of all. */
  requests: (path?: string) => readonly ReceivedRequest[];
  /** How many that are. */
  count: (path?: string) => number;
  /** How many connections were made to it. */
  connections: () => number;
  /** Closes it, together with every connection that still hangs. */
  stop: () => Promise<void>;
}

/**
 * An HTTP server on 127.0.0.1 in place of the receivers of integrators, with scripted responses, which keeps the
 * requests.
 * @param tls certificates of a server with TLS, and whether it wants one of its clients.
 */
export async function startScriptedReceiver({ tls }: { readonly tls?: ServerOptions } = {}): Promise<ScriptedReceiver> {
  const scripts = new Map<string, Script>();
  const all: ReceivedRequest[] = [];
  const byPath = new Map<string, ReceivedRequest[]>();
  const requests = (path?: string) => (path === undefined ? all : (byPath.get(path) ?? []));

  function keep(request: ReceivedRequest): void {
    all.push(request);
    const ofPath = byPath.get(request.path);
    if (ofPath) ofPath.push(request);
    else byPath.set(request.path, [request]);
  }

  const onRequest = (incoming: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const { method = '', url: path = '', headers } = incoming;
      const body = await buffer(incoming).catch(() => undefined);
      if (!body) return; // the sender broke off: there was no request
      const request = { method, path, headers, body, receivedAt: new Date() };
      keep(request);
      const script = scripts.get(path) ?? { status: 200 };
      await answer(response, typeof script === 'function' ? script(request, requests(path).length) : script);
    })();
  };
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const port = await listenOnLoopback(server);
  return {
    port,
    url: (path = '/') => (tls ? `https://localhost:${port}${path}` : `http://${LOOPBACK}:${port}${path}`),
    script: (path, script) => void scripts.set(path, script),
    requests,
    count: (path) => requests(path).length,
    connections: () => connections,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function answer(response: ServerResponse, scripted: ScriptedResponse): Promise<void> {
  if (scripted === 'hang') return;
  if (scripted === 'reset') {
    // Node resets plain connections only.
    if (response.socket instanceof TLSSocket) response.socket.destroy();
    else response.socket?.resetAndDestroy();
    return;
  }
  await scripted.after;
  if (scripted.delayMs !== undefined) await sleep(scripted.delayMs, undefined, { ref: false });
  response.writeHead(scripted.status, scripted.headers).end(scripted.body);
}

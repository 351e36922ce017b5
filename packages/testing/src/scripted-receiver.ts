import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback, LOOPBACK } from '@callout/local';

/** What a receiver does with a request. */
export type ScriptedAnswer =
  | { status: number; headers?: Readonly<Record<string, string>>; body?: string | Buffer; delayMs?: number }
  /** Takes the request and never answers. */
  | 'hang'
  /** Closes the connection without an answer. */
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

export type Script = ScriptedAnswer | ((request: ReceivedRequest, nth: number) => ScriptedAnswer);

export interface ScriptedReceiver {
  /** URL of a path here. */
  url: (path?: string) => string;
  /**
   * Says what requests to a path get from now on; a function is asked per request, with how many this path has had
   * (from 1). Paths without a script answer 200.
   */
  script: (path: string, script: Script) => void;
  /** Requests whose body arrived, oldest first; of one path, or of all. */
  requests: (path?: string) => readonly ReceivedRequest[];
  /** How many that are. */
  count: (path?: string) => number;
  /** Closes it, together with every connection that still hangs. */
  stop: () => Promise<void>;
}

/** An HTTP server on 127.0.0.1 that stands in for the integrators' receivers, does as it is told and keeps what it got. */
export async function startScriptedReceiver(): Promise<ScriptedReceiver> {
  const scripts = new Map<string, Script>();
  const received: ReceivedRequest[] = [];
  const requests = (path?: string) => (path === undefined ? received : received.filter((one) => one.path === path));

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await buffer(incoming), receivedAt: new Date() };
    received.push(request);
    const script = scripts.get(path) ?? { status: 200 };
    await answer(response, typeof script === 'function' ? script(request, requests(path).length) : script);
  }

  const server = createServer((incoming, response) => {
    // A sender that goes away in the middle of its request has not made one.
    handle(incoming, response).catch(() => incoming.destroy());
  });
  const port = await listenOnLoopback(server);
  return {
    url: (path = '/') => `http://${LOOPBACK}:${port}${path}`,
    script: (path, script) => void scripts.set(path, script),
    requests,
    count: (path) => requests(path).length,
    stop: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function answer(response: ServerResponse, scripted: ScriptedAnswer): Promise<void> {
  if (scripted === 'hang') return;
  if (scripted === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  if (scripted.delayMs !== undefined) await sleep(scripted.delayMs, undefined, { ref: false });
  response.writeHead(scripted.status, scripted.headers).end(scripted.body);
}

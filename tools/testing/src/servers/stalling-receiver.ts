import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { eventually } from '../eventually.ts';

/** A call whose response the test sends on command. */
export interface StalledCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Resolves when the response has left. */
  readonly answer: (status: number, headers?: OutgoingHttpHeaders) => Promise<void>;
}

export interface StallingReceiver {
  readonly url: (path: string) => string;
  /** The calls of a path, oldest first, with or without a response. */
  readonly calls: (path: string) => readonly StalledCall[];
  /** Waits for the nth call of a path, counted from 1. */
  readonly nth: (path: string, nth: number) => Promise<StalledCall>;
  readonly stop: () => Promise<void>;
}

/** A receiver that keeps every call under way until the test responds: nothing in between depends on time. */
export async function startStallingReceiver(): Promise<StallingReceiver> {
  const received: StalledCall[] = [];
  const server = createServer((incoming, response) => {
    void (async () => {
      const body = await buffer(incoming);
      received.push({
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
        answer: async (status, headers) => {
          response.writeHead(status, headers).end();
          await once(response, 'finish');
        },
      });
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const calls = (path: string) => received.filter((call) => call.path === path);
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    calls,
    async nth(path, nth) {
      await eventually(() => calls(path).length >= nth);
      const call = calls(path)[nth - 1];
      if (call === undefined) throw new Error(`${path} has had no call ${nth}`);
      return call;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

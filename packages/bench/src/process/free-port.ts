import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenOnLoopback } from '@callout/local/process';

/** A port of 127.0.0.1 that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, 'close');
  return port;
}

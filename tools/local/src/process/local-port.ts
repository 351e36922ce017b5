import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hasCode } from '../error-code.ts';

/** Only this machine may connect: everything here is for development and tests. */
export const LOOPBACK = '127.0.0.1';

/**
 * A port that is free at the moment.
 * @param preferred used when it is free, so that addresses stay the same from one start to the next.
 */
export async function freePort(preferred?: number): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server, preferred);
  server.close();
  await once(server, 'close');
  return port;
}

/** Below the ports that systems hand out for port 0 and for outgoing connections: 32,768 and up, or 49,152. */
const STEADY_PORTS = [15_000, 30_000] as const;

/** A free port that is never assigned by chance, so that it can be used again after its release. */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = randomInt(...STEADY_PORTS);
    if ((await freePort(port)) === port) return port;
  }
}

/**
 * Lets a server listen on 127.0.0.1, on the preferred port or, where that is in use or not allowed, on any free one.
 * @returns the port.
 */
export async function listenOnLoopback(server: Server, preferred = 0): Promise<number> {
  try {
    server.listen(preferred, LOOPBACK);
    await once(server, 'listening');
  } catch (error) {
    if (preferred === 0 || !hasCode(error, 'EADDRINUSE', 'EACCES')) throw error;
    return listenOnLoopback(server);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a server on a port has no port');
  return address.port;
}

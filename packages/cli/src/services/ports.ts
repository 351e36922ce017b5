import { once } from 'node:events';
import { createServer } from 'node:net';
import { listenOnLoopback } from '@callout/local/process';
import { CannotGoOn } from '../cannot-go-on.ts';
import type { DataDirectory } from '../data-directory.ts';

/** Where things listen. Written down, so webhooks find the receiver again after a restart. */
export interface Ports {
  readonly api?: number;
  readonly receiver?: number;
  readonly mail?: number;
  readonly smtp?: number;
  /** Of the worker's `/readyz` and `/metrics`. */
  readonly worker?: number;
  readonly operator?: number;
  readonly postgres?: number;
  readonly redis?: number;
}

const DEFAULTS: Ports = {
  api: 8080,
  worker: 8081,
  operator: 8082,
  receiver: 8090,
  mail: 8025,
  smtp: 1025,
  postgres: 54_320,
  redis: 63_790,
};
const FILE = 'ports.json';

/** The ports of the last start on this data directory, otherwise the usual ones. Any of them may be in use by now. */
export async function preferredPorts(directory: Pick<DataDirectory, 'read'>): Promise<Ports> {
  const last = await directory.read(FILE);
  return { ...DEFAULTS, ...(last === undefined ? {} : (JSON.parse(last) as Ports)) };
}

export async function savePorts(directory: Pick<DataDirectory, 'write'>, ports: Ports): Promise<void> {
  await directory.write(FILE, JSON.stringify(ports));
}

/**
 * A port of 127.0.0.1 that is free now.
 * @param setting the key that the user may have set, and the value. Undefined: not set; 0: any free port.
 * @param preferred replaced by any free port when in use.
 * @throws CannotGoOn when the port from the user is in use.
 */
export async function choosePort(
  setting: { readonly key: string; readonly port: number | undefined },
  preferred: number | undefined,
): Promise<number> {
  const wanted = setting.port ?? preferred;
  const server = createServer();
  const port = await listenOnLoopback(server, wanted);
  server.close();
  await once(server, 'close');
  if (setting.port !== undefined && setting.port !== 0 && port !== setting.port) {
    throw new CannotGoOn(
      `${setting.key}: port ${setting.port} is taken by another program, or not allowed for this user. Set another one, or leave it out to get a free one.`,
    );
  }
  return port;
}

import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenOnLoopback } from '@callout/local/process';
import { choosePort, preferredPorts, savePorts } from './ports.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  return listenOnLoopback(server);
}

async function portFreeNow(): Promise<number> {
  return choosePort({ key: 'API_PORT', port: 0 }, undefined);
}

describe('choosePort', () => {
  it('uses the preferred one where it is free, and another one where it is not', async () => {
    const free = await portFreeNow();
    expect(await choosePort({ key: 'API_PORT', port: undefined }, free)).toBe(free);
    const taken = await takenPort();
    const other = await choosePort({ key: 'API_PORT', port: undefined }, taken);
    expect(other).not.toBe(taken);
    expect(other).toBeGreaterThan(0);
  });

  it('insists on the one that the user has set, and names it when it is in use', async () => {
    const free = await portFreeNow();
    expect(await choosePort({ key: 'API_PORT', port: free }, 1)).toBe(free);
    const taken = await takenPort();
    await expect(choosePort({ key: 'API_PORT', port: taken }, undefined)).rejects.toThrow(
      `API_PORT: port ${taken} is taken`,
    );
  });
});

describe('preferredPorts', () => {
  it('are the usual ones at first, then those of the last start', async () => {
    const files = new Map<string, string>();
    const directory = {
      read: async (name: string) => files.get(name),
      write: async (name: string, text: string) => void files.set(name, text),
    };
    expect(await preferredPorts(directory)).toMatchObject({ api: 8080, worker: 8081, receiver: 8090 });
    await savePorts(directory, { api: 4711 });
    expect(await preferredPorts(directory)).toMatchObject({ api: 4711, receiver: 8090 });
  });
});

import { Redis } from 'ioredis';
import { commandOf, processWithCommand } from '../measure/process-table.ts';

export interface RedisServer {
  /** `Redis 7.0.15` */
  readonly engine: string;
  /** What is on disk, as the server says. */
  readonly persistence: string;
  /** Undefined when it does not run on this machine. */
  readonly pid: number | undefined;
}

/** @param ownDataDir where a server that we started keeps its data; its command line names it. */
export async function redisServer(url: string, ownDataDir: string | undefined): Promise<RedisServer> {
  const redis = new Redis(url);
  try {
    const info = await redis.info('server');
    const valkey = fieldOf(info, 'valkey_version');
    return {
      engine: valkey === undefined ? `Redis ${fieldOf(info, 'redis_version') ?? '?'}` : `Valkey ${valkey}`,
      persistence: await persistence(redis),
      pid: (await realPid(Number(fieldOf(info, 'process_id')), url)) ?? (await processWithCommand(ownDataDir)),
    };
  } finally {
    redis.disconnect();
  }
}

/** The value of a line such as `redis_version:7.0.15` of INFO's answer. */
export function fieldOf(info: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
}

async function persistence(redis: Redis): Promise<string> {
  const names = ['appendonly', 'appendfsync', 'save'];
  try {
    const values = await Promise.all(names.map(async (name) => (await redis.config('GET', name))[1] ?? ''));
    return names.map((name, index) => `${name}=${values[index] === '' ? 'none' : values[index]}`).join(', ');
  } catch (error) {
    // Managed services forbid CONFIG.
    if (error instanceof Error && error.name === 'ReplyError') return 'settings not shown by the server';
    throw error;
  }
}

/** The id that the server gives itself, if the process with that id here is one: it may run elsewhere, or in a sandbox. */
async function realPid(pid: number, url: string): Promise<number | undefined> {
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
  return isHere && /redis|valkey/.test((await commandOf(pid)) ?? '') ? pid : undefined;
}

/** Removes what a run left under its prefix, and nothing else. */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...(keys as string[]));
    }
  } finally {
    redis.disconnect();
  }
}

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startSupervised, type SupervisedProcess } from '@callout/local/process';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';

export interface RedisProcessOptions {
  /** The server program. */
  readonly program: string;
  /** Its own; made when missing. */
  readonly dir: string;
  readonly port: number;
  readonly password?: string;
  /** Of its configuration, beyond address and password. */
  readonly lines: readonly string[];
  readonly isSentinel?: boolean;
}

/** A server of Redis or a Sentinel, as a real process. */
export interface RedisProcess {
  readonly port: number;
  /** Runs one command there. */
  call(...command: readonly string[]): Promise<unknown>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts it again, with its data on disk. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one on 127.0.0.1; it ends with this process. */
export async function startRedisProcess(options: RedisProcessOptions): Promise<RedisProcess> {
  const { program, dir, port, password, lines, isSentinel = false } = options;
  await mkdir(dir, { recursive: true });
  const file = path.join(dir, 'redis.conf');
  const own = [`port ${port}`, 'bind 127.0.0.1', `dir ${dir}`, 'protected-mode no'];
  await writeFile(file, [...own, ...lines].map((line) => `${line}\n`).join(''));
  let server: SupervisedProcess | undefined;
  const redis = new Redis({
    port,
    host: '127.0.0.1',
    lazyConnect: true,
    ...(password === undefined ? {} : { password }),
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
    enableReadyCheck: false,
  });
  redis.on('error', () => undefined);
  const call = async (...[name = '', ...rest]: readonly string[]): Promise<unknown> => redis.call(name, ...rest);
  const start = async (): Promise<void> => {
    server = await startSupervised({
      command: program,
      args: [file, ...(isSentinel ? ['--sentinel'] : [])],
      stopSignal: 'TERM',
      logFile: path.join(dir, 'redis.log'),
    });
    await eventually(async () => (await call('PING')) === 'PONG');
  };
  await start();
  return {
    port,
    call,
    start,
    async kill() {
      const [, pid] = /process_id:(\d+)/.exec(String(await call('INFO', 'server'))) ?? [];
      process.kill(Number(pid), 'SIGKILL');
      await server?.ended;
    },
    async stop() {
      redis.disconnect();
      await server?.stop();
    },
  };
}

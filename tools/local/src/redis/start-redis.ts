import { connect } from 'node:net';
import { hasCode, ifCode } from '../error-code.ts';
import { LOOPBACK, freePort } from '../process/local-port.ts';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { endLeftover } from '../process/leftover.ts';
import { acquireProcessLock } from '../process/process-lock.ts';
import { startSupervised, type SupervisedCommand } from '../process/supervised-process.ts';
import { findNativeRedis, writeNativeConfig } from './native-redis.ts';

export interface RedisOptions {
  /** Belongs to this server alone; made when missing. Data survives restarts. */
  dataDir: string;
  /** Replaced by a free one when it is in use. */
  port?: number;
  /**
   * Native servers to prefer, as names on PATH or paths; the first that exists and is recent enough is used. Default
   * `redis-server`, `valkey-server`; an empty list means the embedded one.
   */
  native?: readonly string[];
}

export interface LocalRedis {
  /** Connection string, with the password; the same after a restart on the same port. */
  url: string;
  port: number;
  /** The program, for example `Redis 7.0.15`. */
  engine: string;
  /** Its persistence, for example `AOF everysec`. */
  persistence: string;
  /** Resolves when the server has ended, also by itself. */
  ended: Promise<void>;
  /** Saves and ends the server; a second call does nothing. */
  stop: () => Promise<void>;
}

/** One engine cannot always read the files of the other: each has a directory of its own. */
interface Engine {
  name: string;
  persistence: string;
  directory: string;
  command: (port: number, password: string) => Promise<Omit<SupervisedCommand, 'logFile'>>;
}

const START_PATIENCE_MS = 60_000;

/**
 * Starts a Redis on 127.0.0.1 for as long as this process lives: it ends with it, also by kill -9. A native server is
 * preferred (twice as fast, keeps an append-only file); without one it is Valkey compiled to WebAssembly.
 *
 * @throws Error when another living process runs a server on this data directory (its server is left alone), or when
 *   the server does not start, with the end of its log.
 */
export async function startRedis(options: RedisOptions): Promise<LocalRedis> {
  const dataDir = path.resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await acquireProcessLock(path.join(dataDir, 'lock'));
  if (lock.kind === 'held') {
    throw new Error(
      `Redis in ${dataDir} is in use by process ${lock.pid}. Stop that one, or use another data directory.`,
    );
  }
  try {
    return await startLocked(dataDir, options, lock.release);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startLocked(dataDir: string, options: RedisOptions, release: () => Promise<void>): Promise<LocalRedis> {
  const engine = await chooseEngine(dataDir, options.native ?? ['redis-server', 'valkey-server']);
  await endLeftoverIn(dataDir);
  await mkdir(engine.directory, { recursive: true, mode: 0o700 });
  const password = await passwordIn(dataDir);
  const logFile = path.join(dataDir, 'redis.log');
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? options.port : undefined);
    const server = await startSupervised({ ...(await engine.command(port, password)), logFile });
    const stop = async () => {
      await server.stop();
      await release();
    };
    const deadline = Date.now() + START_PATIENCE_MS;
    while (!server.hasEnded() && Date.now() < deadline) {
      if (await isRedisReady(port, password)) {
        const url = `redis://:${password}@${LOOPBACK}:${port}`;
        return { url, port, engine: engine.name, persistence: engine.persistence, ended: server.ended, stop };
      }
      await sleep(20);
    }
    await server.stop();
    const log = await readFile(logFile, 'utf8');
    // A port that was free before may be in use when the server binds it: then look again.
    if (attempt < 5 && /Address already in use|EADDRINUSE/.test(log)) continue;
    throw new Error(`${engine.name} did not start. The end of ${logFile}:\n${log.slice(-2000)}`);
  }
}

/** Made at random once and kept beside the data, as PostgreSQL's is: with the same port, a restart keeps the URL. */
async function passwordIn(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'password');
  const known = await readFile(file, 'utf8').catch(ifCode('ENOENT', ''));
  if (known !== '') return known;
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

const pidFileIn = (dataDir: string) => path.join(dataDir, 'redis.pid');

async function endLeftoverIn(dataDir: string): Promise<void> {
  const pid = await readFile(pidFileIn(dataDir), 'utf8').catch(ifCode('ENOENT', undefined));
  if (pid !== undefined) await endLeftover(Number(pid), dataDir, 'SIGTERM');
}

async function chooseEngine(dataDir: string, nativePrograms: readonly string[]): Promise<Engine> {
  const native = await findNativeRedis(nativePrograms);
  if (native) {
    const directory = path.join(dataDir, 'native');
    return {
      name: native.engine,
      persistence: 'AOF everysec',
      directory,
      command: async (port, password) => ({
        command: native.program,
        args: [await writeNativeConfig(directory, pidFileIn(dataDir), port, password)],
        stopSignal: 'TERM',
      }),
    };
  }
  const directory = path.join(dataDir, 'embedded');
  return {
    name: 'Valkey 9.1 (WebAssembly)',
    persistence: 'snapshot every 10 s',
    directory,
    command: async (port, password) => {
      const file = path.join(dataDir, 'embedded.json');
      await writeFile(file, JSON.stringify({ port, password, directory, pidFile: pidFileIn(dataDir) }), {
        mode: 0o600,
      });
      return {
        command: process.execPath,
        args: ['--disable-warning=ExperimentalWarning', EMBEDDED_SERVER, file],
        stopSignal: 'TERM',
      };
    },
  };
}

/** The same path from src/ and from dist/. */
const EMBEDDED_SERVER = fileURLToPath(new URL('../../bin/valkey-child.js', import.meta.url));

const PATIENCE_MS = 2_000;

/**
 * Whether the server with this password responds on this port. False while it starts or loads its data, and false when
 * another program's server responds there.
 */
export async function isRedisReady(port: number, password: string): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.write(`AUTH ${password}\r\nPING\r\n`);
  try {
    let answer = '';
    for await (const chunk of socket) {
      answer += String(chunk);
      if (answer === '+OK\r\n+PONG\r\n') return true;
      if (answer.split('\r\n').some((line) => line.startsWith('-'))) return false;
    }
    return false;
  } catch (error) {
    if (hasCode(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE')) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}

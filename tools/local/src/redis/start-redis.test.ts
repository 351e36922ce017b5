import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { steadyPort } from '../process/local-port.ts';
import { startOtherProcess } from '../test-run/other-process.ts';
import { temporaryDirectory } from '../test-run/temporary-directory.fixture.ts';
import { type LocalRedis, type RedisOptions, startRedis } from './start-redis.ts';

const dir = temporaryDirectory();
let count = 0;
const newDataDir = () => path.join(dir, `data${++count}`);
const running: LocalRedis[] = [];

async function started(options: RedisOptions): Promise<LocalRedis> {
  const redis = await startRedis(options);
  running.push(redis);
  return redis;
}

/** The responses to commands, as they come over the wire. */
async function ask({ url }: { url: string }, ...commands: string[]): Promise<string> {
  const { hostname, port, password } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([...(password === '' ? [] : [`AUTH ${password}`]), ...commands, 'QUIT', ''].join('\r\n'));
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer.replace(password === '' ? '' : '+OK\r\n', '').replace(/\+OK\r\n$/, '');
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((redis) => redis.stop()));
});

// The machine's own server, and the embedded one: both have to work.
describe.each([
  ['the preferred server', {}],
  ['the embedded server', { native: [] }],
])('startRedis with %s', (_name, engine) => {
  const startElsewhere = (dataDir: string) =>
    startOtherProcess(`
      import { startRedis } from '@callout/local/redis';
      const { url } = await startRedis(${JSON.stringify({ dataDir, ...engine })});
      console.log(JSON.stringify({ url, pid: process.pid }));
      setInterval(() => {}, 1000);
    `);

  it('keeps data over a restart, at the same address', async () => {
    const dataDir = newDataDir();
    const first = await started({ dataDir, port: await steadyPort(), ...engine });
    expect(await ask(first, 'SET note 1')).toBe('+OK\r\n');
    await first.stop();
    await first.stop();
    const second = await started({ dataDir, port: first.port, ...engine });
    expect(second.url).toBe(first.url);
    expect(await ask(second, 'GET note')).toBe('$1\r\n1\r\n');
  });

  it('throws nothing away when memory is short, and lets in with the password only', async () => {
    const redis = await started({ dataDir: newDataDir(), ...engine });
    expect(await ask(redis, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
    const anonymous = new URL(redis.url);
    anonymous.password = '';
    expect(await ask({ url: anonymous.href }, 'GET note')).toMatch(/^-NOAUTH/);
  });

  it('refuses a data directory in use, and leaves its server alone, which saves and ends when its supervisor is killed', async () => {
    const dataDir = newDataDir();
    const other = await startElsewhere(dataDir);
    const { url, pid } = other.message as { url: string; pid: number };
    await expect(startRedis({ dataDir, ...engine })).rejects.toThrow(`${dataDir} is in use by process ${pid}`);
    expect(await ask({ url }, 'SET note 1')).toBe('+OK\r\n');
    await other.kill();
    const next = await started({ dataDir, ...engine });
    expect(await ask(next, 'GET note')).toBe('$1\r\n1\r\n');
    await expect(ask({ url }, 'PING')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('uses another port when the preferred one is in use', async () => {
    const port = await steadyPort();
    const first = await started({ dataDir: newDataDir(), port, ...engine });
    const second = await started({ dataDir: newDataDir(), port, ...engine });
    expect(first.port).toBe(port);
    expect(second.port).not.toBe(port);
    expect(await ask(second, 'PING')).toBe('+PONG\r\n');
  });
});

describe('choosing a Redis', () => {
  /** A program with the given version text that, when started, responds with the least that Redis must. */
  async function program(name: string, versionLine: string): Promise<string> {
    const file = path.join(dir, name);
    await writeFile(
      file,
      `#!${process.execPath}
      const fs = require('node:fs'), net = require('node:net');
      if (process.argv[2] === '--version') { console.log(${JSON.stringify(versionLine)}); process.exit(0); }
      const config = fs.readFileSync(process.argv[2], 'utf8');
      const [, port] = /^port (\\d+)$/m.exec(config);
      net.createServer((socket) => socket.on('data', () => socket.write('+OK\\r\\n+PONG\\r\\n'))).listen(port, '127.0.0.1');
      process.on('SIGTERM', () => process.exit(0));`,
    );
    await chmod(file, 0o755);
    return file;
  }

  it('prefers a native server, and has it keep an append-only file', async () => {
    const native = await program('new-redis', 'Redis server v=7.4.1 sha=00000000:0 malloc=libc bits=64 build=0');
    const dataDir = newDataDir();
    const redis = await started({ dataDir, native: ['no-such-server-anywhere', native] });
    expect(redis).toMatchObject({ engine: 'Redis 7.4.1', persistence: 'AOF everysec' });
    const file = path.join(dataDir, 'native', 'redis.conf');
    expect((await readFile(file, 'utf8')).split('\n')).toEqual(
      expect.arrayContaining([
        'bind 127.0.0.1',
        'appendonly yes',
        'appendfsync everysec',
        'maxmemory-policy noeviction',
        `dir "${path.join(dataDir, 'native')}"`,
      ]),
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['is too old (Redis)', 'Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=0'],
    ['is too old (Valkey)', 'Valkey server v=7.1.9 sha=00000000:0 malloc=libc bits=64 build=0'],
    ['is something else', 'Server v2'],
  ])('takes the embedded one when the native one %s', async (name, versionLine) => {
    const native = await program(name.replaceAll(/\W/g, '-'), versionLine);
    const redis = await started({ dataDir: newDataDir(), native: [native] });
    expect(redis).toMatchObject({ engine: 'Valkey 9.1 (WebAssembly)', persistence: 'snapshot every 10 s' });
  });
});

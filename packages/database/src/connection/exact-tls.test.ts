import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedPostgres, startTlsRelay, type TlsRelay } from '@callout/local/test-run';
import { openDatabase } from './database.ts';
import { withExactTls } from './host-urls.ts';

let relay: TlsRelay;
let dir: string;
let ca: string;
/** The database of the tests, through a server called localhost that speaks only TLS. */
let behindTls: (host?: string) => string;

beforeAll(async () => {
  const { url } = await sharedPostgres();
  relay = await startTlsRelay({ port: Number(new URL(url).port), protocol: 'postgres' });
  dir = await mkdtemp(path.join(tmpdir(), 'callout-pg-tls-'));
  ca = path.join(dir, 'ca.pem');
  await writeFile(ca, relay.ca);
  behindTls = (host = 'localhost') => {
    const secure = new URL(url);
    secure.host = `${host}:${relay.port}`;
    return secure.href;
  };
});
afterAll(async () => {
  await relay.stop();
  await rm(dir, { recursive: true });
});

/** Queries through both pools. */
async function answersOf(url: string): Promise<unknown> {
  const database = openDatabase({ url, poolSize: 2, applicationName: 'test', onError: () => undefined });
  try {
    const [one] = (await database.pool.query<{ one: number }>('SELECT 1 AS one')).rows;
    return [one, await database.prisma.$queryRawUnsafe('SELECT 2 AS two')];
  } finally {
    await database.close();
  }
}

describe('PostgreSQL behind TLS', () => {
  it.each(['verify-full', 'require', 'verify-ca', 'prefer'])(
    'sslmode=%s checks the certificate and its name',
    async (mode) => {
      const before = relay.handshakes();
      expect(await answersOf(`${behindTls()}?sslmode=${mode}&sslrootcert=${ca}`)).toEqual([{ one: 1 }, [{ two: 2 }]]);
      expect(relay.handshakes()).toBeGreaterThan(before);
      await expect(answersOf(`${behindTls()}?sslmode=${mode}`)).rejects.toThrow(/self-signed certificate/);
      await expect(answersOf(`${behindTls('127.0.0.1')}?sslmode=${mode}&sslrootcert=${ca}`)).rejects.toThrow(
        /altnames/,
      );
    },
  );

  it('sslmode=no-verify is TLS without verification; without TLS this server does not respond', async () => {
    expect(await answersOf(`${behindTls('127.0.0.1')}?sslmode=no-verify`)).toEqual([{ one: 1 }, [{ two: 2 }]]);
    await expect(answersOf(behindTls())).rejects.toThrow(/Connection terminated|ECONNRESET/);
  });
});

describe('withExactTls', () => {
  it.each([
    ['postgres://u:p@h/d', 'postgres://u:p@h/d'],
    [
      'postgres://u:p@h/d?sslmode=require&application_name=x',
      'postgres://u:p@h/d?sslmode=verify-full&application_name=x',
    ],
    ['postgres://u:p@h/d?a=b&sslmode=no-verify', 'postgres://u:p@h/d?a=b&sslmode=no-verify'],
    ['postgres://u:p@h/d?sslmode=disable', 'postgres://u:p@h/d?sslmode=disable'],
    [
      'postgres://u:p@h/d?sslmode=require&uselibpqcompat=true',
      'postgres://u:p@h/d?sslmode=require&uselibpqcompat=true',
    ],
  ])('of %s is %s', (url, exact) => {
    expect(withExactTls(url)).toBe(exact);
  });
});

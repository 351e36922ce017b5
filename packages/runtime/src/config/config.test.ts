import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiConfig } from './api.ts';
import { configurationPage } from './describe.ts';
import { keyNotes } from './kinds/key.ts';
import { ConfigError, parseConfig, parseConfigOrExit } from './parse.ts';
import { secretKeyNames } from './secret-files.ts';
import { workerConfig } from './worker.ts';

const KEY = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const needed = {
  DATABASE_URL: 'postgres://callout:pa55word@127.0.0.1:5432/callout',
  REDIS_URL: 'redis://127.0.0.1:6379',
  SECRET_KEYS: KEY,
};

function problemsOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

describe('parseConfig', () => {
  it('fills in defaults and reads text as numbers, flags and lists', () => {
    const config = parseConfig(apiConfig, {
      ...needed,
      API_PORT: '0',
      ALLOW_HTTP_TARGETS: 'True',
      CALLOUT_ALLOW_CIDRS: '127.0.0.1/32, fd00:1::/64,10.0.0.9',
    });
    expect(config).toMatchObject({
      API_PORT: 0,
      API_ROOT: 'atservicesrest',
      ALLOW_HTTP_TARGETS: true,
      CALLOUT_ALLOW_CIDRS: ['127.0.0.1/32', 'fd00:1::/64', '10.0.0.9/32'],
      MAX_BODY_BYTES: 1_048_576,
      REDIS_PREFIX: 'callout',
    });
  });

  it('reads secrets from files, a line end behind them or not', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'callout-config-'));
    try {
      const file = path.join(directory, 'keys');
      await writeFile(file, `${KEY}\n`);
      const env = { ...needed, SECRET_KEYS: undefined, SECRET_KEYS_FILE: file };
      expect(parseConfig(apiConfig, env).SECRET_KEYS).toBe(KEY);
      const message = problemsOf(() =>
        parseConfig(apiConfig, {
          ...needed,
          SECRET_KEYS_FILE: file,
          REDIS_URL: '',
          REDIS_URL_FILE: path.join(directory, 'none'),
        }),
      );
      expect(message).toMatch(
        /^Callout cannot start: 2 settings need attention\.\n {2}REDIS_URL_FILE cannot be read \(ENOENT\).*\n {2}SECRET_KEYS_FILE is set, and so is SECRET_KEYS\. Set one of them\.\n/,
      );
      expect(message).not.toContain(KEY);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('repeats nothing of a secret that was put where the name of its file belongs', () => {
    const url = 'postgres://callout:hunter2@db.example.com/callout';
    const message = problemsOf(() =>
      parseConfig(apiConfig, { DATABASE_URL_FILE: url, REDIS_URL_FILE: '/', SECRET_KEYS_FILE: KEY }),
    );
    expect(message).toContain('DATABASE_URL_FILE cannot be read (ENOENT)');
    expect(message).toContain('REDIS_URL_FILE cannot be read (EISDIR)');
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain(KEY);
  });

  it('reads an outbound proxy with its credentials, and quotes none of a wrong one', () => {
    const read = (text: string) => parseConfig(workerConfig, { ...needed, OUTBOUND_PROXY: text }).OUTBOUND_PROXY;
    expect(read('http://call%40out:pass%20word@[::1]:3128')).toEqual({
      isSecure: false,
      hostname: '::1',
      port: 3128,
      authorization: `Basic ${Buffer.from('call@out:pass word').toString('base64')}`,
    });
    for (const wrong of [
      'socks5://u:hunter2@proxy:1080',
      'http://u:hunter2@proxy/path',
      'http://u:hunter2%0d%0a@proxy',
    ]) {
      const message = problemsOf(() => read(wrong));
      expect(message).toContain('OUTBOUND_PROXY must be an http:// or https:// URL');
      expect(message).not.toContain('hunter2');
    }
  });

  it('accepts a file for each key that holds a secret', () => {
    const shape = { ...apiConfig.shape, ...workerConfig.shape };
    const secret = Object.entries(shape).filter(([, schema]) => keyNotes.get(schema)?.isSecret === true);
    expect(secret.map(([name]) => name).toSorted()).toEqual([...secretKeyNames].toSorted());
  });

  it('lists every problem in one message, with what to do', () => {
    const message = problemsOf(() =>
      parseConfig(workerConfig, {
        ...needed,
        DATABASE_URL: undefined,
        SECRET_KEYS: '',
        WORKER_ROLES: 'match,paint',
        CALLOUTS_IN_FLIGHT: '0',
      }),
    );
    expect(message).toContain('4 settings need attention');
    expect(message).toMatch(/DATABASE_URL is missing\. Set it to a postgres:\/\//);
    expect(message).toMatch(/SECRET_KEYS is missing\. Make a key with: node -e/);
    expect(message).toContain('WORKER_ROLES must be a comma-separated choice of match, deliver, notify, sweep');
    expect(message).toContain('"paint" is none of them');
    expect(message).toContain('CALLOUTS_IN_FLIGHT must be');
  });

  it('never shows the value of a secret key', () => {
    const message = problemsOf(() =>
      parseConfig(apiConfig, {
        DATABASE_URL: 'mysql://root:hunter2@db/callout',
        REDIS_URL: 'http://:hunter2@redis',
        SECRET_KEYS: 'k1:hunter2',
      }),
    );
    expect(message).toContain('3 settings need attention');
    expect(message).not.toContain('hunter2');
  });

  it.each([
    ['API_PORT', '65536'],
    ['API_PORT', '80.5'],
    ['API_PORT', '0x50'],
    ['API_PORT', '-1'],
    ['API_ROOT', 'two/segments'],
    ['API_HOST', 'not a host'],
    ['CALLOUT_ALLOW_CIDRS', '10.0.0.0/33'],
    ['CALLOUT_ALLOW_CIDRS', '10.0.0/8'],
    ['CALLOUT_ALLOW_CIDRS', '0.0.0.0/0'],
    ['CALLOUT_ALLOW_CIDRS', '10.0.0.0/8,128.0.0.0/1'],
    ['CALLOUT_ALLOW_CIDRS', '::/0'],
    ['CALLOUT_ALLOW_CIDRS', '8000::/1'],
    ['CALLOUT_ALLOW_CIDRS', '::ffff:0.0.0.0/96'],
    ['CALLOUT_ALLOW_CIDRS', '10.0.0.0/8/8'],
    ['ALLOW_HTTP_TARGETS', 'yes'],
    ['LOG_LEVEL', 'loud'],
    ['SECRET_KEYS', `${KEY},${KEY}`],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(problemsOf(() => parseConfig(apiConfig, { ...needed, [name]: value }))).toContain(`\n  ${name} must be `);
  });

  it('names the setting for every address, and accepts the widest networks that exist', () => {
    const withRanges = (CALLOUT_ALLOW_CIDRS: string) => parseConfig(apiConfig, { ...needed, CALLOUT_ALLOW_CIDRS });
    expect(problemsOf(() => withRanges('0.0.0.0/0'))).toContain('name the networks that receivers are in');
    const networks = ['10.0.0.0/8', '240.0.0.0/4', 'fc00::/7', '::ffff:10.0.0.0/104'];
    expect(withRanges(networks.join(',')).CALLOUT_ALLOW_CIDRS).toEqual(networks);
    expect(parseConfig(apiConfig, { ...needed, TRUST_PROXY: '0.0.0.0/0' }).TRUST_PROXY).toEqual(['0.0.0.0/0']);
  });

  it.each([
    'postgres://db/callout',
    'postgresql://u:p%40ss@one:5432,two:5433,[::1]:5434/callout?target_session_attrs=read-write&sslmode=verify-full',
    'postgres://one,two/callout?target_session_attrs=primary',
  ])('takes DATABASE_URL=%s as it is', (url) => {
    expect(parseConfig(workerConfig, { ...needed, DATABASE_URL: url }).DATABASE_URL).toBe(url);
  });

  it.each([
    ['postgres://u:hunter2@one,:5432/callout', 'one of its hosts is none'],
    ['postgres://u:hunter2@/callout', 'must be a postgres:// or postgresql:// URL with a host'],
    ['postgres://u:hunter2@one,two/callout?target_session_attrs=standby', 'must be read-write or primary'],
  ])('refuses DATABASE_URL=%s and does not repeat it', (url, why) => {
    const message = problemsOf(() => parseConfig(workerConfig, { ...needed, DATABASE_URL: url }));
    expect(message).toContain(why);
    expect(message).not.toContain('hunter2');
  });

  it.each([
    'redis://cache',
    'rediss://:pass@cache:6380/2?tlsCaFile=/etc/ca.pem',
    'redis+sentinel://one:26379,two/main',
    'rediss+cluster://user:pass@one,[::1]:7000',
  ])('takes REDIS_URL=%s as it is', (url) => {
    expect(parseConfig(workerConfig, { ...needed, REDIS_URL: url }).REDIS_URL).toBe(url);
  });

  it.each([
    ['redis://:hunter2@one,two', 'several hosts need redis+sentinel:// or redis+cluster://'],
    ['redis+sentinel://:hunter2@one,two', 'needs the name of the set'],
    ['redis+mirror://:hunter2@one', 'must be a redis:// or rediss:// URL with a host'],
    ['redis://', 'must be a redis:// or rediss:// URL with a host'],
  ])('refuses REDIS_URL=%s and does not repeat it', (url, why) => {
    const message = problemsOf(() => parseConfig(workerConfig, { ...needed, REDIS_URL: url }));
    expect(message).toContain(why);
    expect(message).not.toContain('hunter2');
  });

  it.each([
    ['standard', 'standard'],
    ['Classic', 'classic'],
    ['250ms, 5s,1M,2h,7d', { waitsMs: [250, 5000, 60_000, 7_200_000, 604_800_000] }],
  ])('reads RETRY_SCHEDULE=%s', (text, schedule) => {
    expect(parseConfig(workerConfig, { ...needed, RETRY_SCHEDULE: text }).RETRY_SCHEDULE).toEqual(schedule);
  });

  it.each(['often', '5', '5s,0s', '5s,-1s', '8d', '1.5s', ',', Array(51).fill('1s').join(',')])(
    'refuses RETRY_SCHEDULE=%s',
    (text) => {
      expect(() => parseConfig(workerConfig, { ...needed, RETRY_SCHEDULE: text })).toThrow(/RETRY_SCHEDULE must be/);
    },
  );
});

describe('parseConfigOrExit', () => {
  it('writes the problems alone to stderr and exits with status 1', () => {
    let written = '';
    const exit = (status: number): never => {
      throw new Error(`exited with ${status}`);
    };
    const stderr = { write: (text: string) => (written += text) };
    expect(() => parseConfigOrExit(apiConfig, { ...needed, API_PORT: 'x' }, { stderr, exit })).toThrow('exited with 1');
    expect(written).toMatch(/^Callout cannot start: 1 setting needs attention\.\n  API_PORT must be/);
    expect(written).not.toContain('    at ');
  });
});

describe('docs/configuration.md', () => {
  it('is what the schemas say; `npm run docs` writes it', async () => {
    const page = await readFile(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
    expect(page).toBe(configurationPage());
  });
});

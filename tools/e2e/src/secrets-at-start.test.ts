import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, type Installation, prepareInstallation } from '@callout/testing';
import { leaksIn } from './leaks.ts';

const secret = (what: string) => `${what}-${randomBytes(12).toString('hex')}`;
const secrets = {
  'database password': secret('database'),
  'SMTP password': secret('smtp'),
  'some key': secret('key'),
  'short token': `t-${randomBytes(5).toString('hex')}`,
  'key ring': randomBytes(32).toString('base64'),
};

let installation: Installation;

beforeAll(async () => {
  installation = await prepareInstallation({
    databaseUrl: `postgres://callout:${secrets['database password']}@127.0.0.1:1/callout`,
    redisUrl: 'redis://127.0.0.1:1',
    redisPrefix: 'none',
    settings: { LOG_LEVEL: 'trace', MAIL_FROM: 'callout@example.com' },
  });
});
afterAll(() => installation.stop());

it('a process that cannot start says why, and none of the secrets that it was given', async () => {
  const all = { ...secrets, 'own key ring': installation.secretKeys.slice('k1:'.length) };
  const broken: [app: 'api' | 'worker', settings: Record<string, string>][] = [
    ['api', { DATABASE_URL: `mysql://callout:${secrets['database password']}@127.0.0.1/callout` }],
    ['api', { DATABASE_URL: `postgres://callout:${secrets['database password']}@127.0.0.1:port/callout` }],
    ['api', { DATABASE_URL: '', DATABASE_URL_FILE: `postgres://callout:${secrets['database password']}@db/callout` }],
    ['worker', { SECRET_KEYS: '', SECRET_KEYS_FILE: `k1:${secrets['key ring']}` }],
    ['worker', { REDIS_URL: `http://:${secrets['some key']}@127.0.0.1` }],
    ['worker', { SMTP_URL: `smtp://callout:${secrets['SMTP password']}@` }],
    ['worker', { SMTP_URL: `imap://callout:${secrets['SMTP password']}@127.0.0.1` }],
    ['api', { SECRET_KEYS: secrets['some key'] }],
    ['api', { SECRET_KEYS: `k1:${secrets['some key']}` }],
    ['api', { SECRET_KEYS: `k1:${secrets['key ring']},k1:${secrets['key ring']}` }],
    ['api', { OPERATOR_TOKEN: secrets['short token'], SECRET_KEYS: '' }],
  ];
  const away = ['127.0.0.1:1', 'nowhere.invalid'].map(async (host) => {
    const DATABASE_URL = `postgres://callout:${secrets['database password']}@${host}/callout`;
    for (const app of ['api', 'worker'] as const) {
      const process = installation.start(app, `${app} without ${host}`, { DATABASE_URL });
      await eventually(() => process.log().some(({ msg }) => msg.startsWith('PostgreSQL cannot be reached')));
      await process.signal('SIGTERM');
      expect(leaksIn(process.output(), all)).toEqual([]);
    }
  });
  await Promise.all([
    ...away,
    ...broken.map(async ([app, changes], nth) => {
      const process = installation.start(app, `broken ${nth}`, changes);
      const { code } = await process.exit;
      expect([Object.keys(changes), code]).toEqual([Object.keys(changes), 1]);
      expect(process.output()).not.toBe('');
      expect(leaksIn(process.output(), all)).toEqual([]);
    }),
  ]);
});

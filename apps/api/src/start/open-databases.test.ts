import { KeyRing } from '@callout/domain/secrets/keyring';
import { withClient } from '@callout/local/postgres';
import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { createLogger } from '@callout/runtime/log/logger';
import { createTestDatabase } from '@callout/testing';
import { expect, it } from '@jest/globals';
import { openDatabases } from './open-databases.ts';

const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** Opens a database that is waited for only once. */
function open(DATABASE_URL: string) {
  const config = parseConfig(apiConfig, { DATABASE_URL, REDIS_URL: 'redis://127.0.0.1', SECRET_KEYS });
  const log = createLogger({ service: 'api', level: 'silent' });
  return openDatabases({ config, keyRing: KeyRing.parse(SECRET_KEYS), log, waitMs: 1 });
}

it('a database that stays away is named without its password when the wait is over', async () => {
  const failure = await open('postgres://callout:database-password@127.0.0.1:1/callout').catch(String);
  expect(failure).toContain('the database that DATABASE_URL names cannot be used');
  expect(failure).not.toContain('database-password');
});

it('a database that is too slow is not blamed on the key ring', async () => {
  const { url, drop } = await createTestDatabase();
  const failure = await withClient(url, async (blocker) => {
    await blocker.query('BEGIN; LOCK webhooks');
    return open(url).catch(String);
  });
  expect(failure).toContain('the keys that secrets in the database need could not be read: canceling statement');
  expect(failure).not.toContain('SECRET_KEYS');
  await drop();
});

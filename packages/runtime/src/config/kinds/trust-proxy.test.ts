import { describe, expect, it } from '@jest/globals';
import { apiConfig } from '../api.ts';
import { parseConfig } from '../parse.ts';

const read = (value: string | undefined) =>
  parseConfig(apiConfig, {
    DATABASE_URL: 'postgres://127.0.0.1/callout',
    REDIS_URL: 'redis://127.0.0.1',
    SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    TRUST_PROXY: value,
  }).TRUST_PROXY;

describe('TRUST_PROXY', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['OFF', false],
    ['1', 1],
    ['10', 10],
    ['10.0.0.0/8, ::1,192.0.2.7', ['10.0.0.0/8', '::1/128', '192.0.2.7/32']],
  ])('of %j is %j', (text, trusted) => {
    expect(read(text)).toEqual(trusted);
  });

  it.each(['0', '11', '-1', '1.5', 'true', 'all', 'loopback', '10.0.0.0/40'])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(/TRUST_PROXY must be `off`/);
  });
});

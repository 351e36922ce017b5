import { describe, expect, it } from '@jest/globals';
import { readRedisUrl } from './redis-url.ts';

const nothing = {
  username: undefined,
  password: undefined,
  db: 0,
  name: undefined,
  sentinelUsername: undefined,
  sentinelPassword: undefined,
  tls: undefined,
};

describe('readRedisUrl', () => {
  it.each([
    ['redis://cache', { mode: 'single', nodes: [{ host: 'cache', port: 6379 }] }],
    [
      'redis://me:p%40ss:word@[::1]:7000/3',
      { mode: 'single', nodes: [{ host: '::1', port: 7000 }], username: 'me', password: 'p@ss:word', db: 3 },
    ],
    [
      'rediss://:secret@cache/',
      { mode: 'single', nodes: [{ host: 'cache', port: 6379 }], password: 'secret', tls: {} },
    ],
    [
      'rediss://cache?tlsServerName=redis.internal',
      { mode: 'single', nodes: [{ host: 'cache', port: 6379 }], tls: { servername: 'redis.internal' } },
    ],
    [
      'redis+sentinel://:secret@one,two:5000/main?db=2&sentinelPassword=other',
      {
        mode: 'sentinel',
        nodes: [
          { host: 'one', port: 26_379 },
          { host: 'two', port: 5000 },
        ],
        ...{ name: 'main', db: 2, password: 'secret', sentinelPassword: 'other' },
      },
    ],
    [
      'rediss+cluster://one:7000,two',
      {
        mode: 'cluster',
        nodes: [
          { host: 'one', port: 7000 },
          { host: 'two', port: 6379 },
        ],
        tls: {},
      },
    ],
  ])('reads %s', (url, place) => {
    expect(readRedisUrl(url)).toEqual({ ...nothing, ...place });
  });

  it.each([
    ['http://:hunter2@cache', 'must be a redis:// or rediss:// URL'],
    ['redis+replica://:hunter2@cache', 'must be a redis:// or rediss:// URL'],
    ['redis://:hunter2@one,two', 'several hosts need redis+sentinel:// or redis+cluster://'],
    ['redis://:hunter2@cache:port', 'hosts must be host or host:port'],
    ['redis://:hunter2@cache/first', 'the database must be a number'],
    ['redis+sentinel://:hunter2@one,two', 'needs the name of the set'],
    ['redis://:hunter2%@cache', 'REDIS_URL cannot be used: a % in its user, password or path'],
    ['redis://:hunter2@cache?tlsCaFile=/ca.pem', 'the tls options need rediss://'],
    ['rediss://:hunter2@cache?caFile=/ca.pem', 'it has no option caFile'],
    ['rediss://:hunter2@cache?tlsCaFile=/not/there.pem', 'the file /not/there.pem of its tlsCaFile cannot be read'],
  ])('refuses %s with a reason, without the password', (url, why) => {
    let message = '';
    try {
      readRedisUrl(url);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain(why);
    expect(message).not.toContain('hunter2');
  });
});

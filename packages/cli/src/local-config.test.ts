import { describe, expect, it } from '@jest/globals';
import { appEnvironment, readLocalConfig } from './local-config.ts';

describe('readLocalConfig', () => {
  it('leaves everything to us when nothing is set, and when all is set to nothing', () => {
    const nothing = { DATABASE_URL: '', REDIS_URL: ' ', SECRET_KEYS: '', API_PORT: '', WORKER_HEALTH_PORT: '' };
    const chosenByUs = {
      databaseUrl: undefined,
      redisUrl: undefined,
      redisPrefix: undefined,
      secretKeys: undefined,
      smtpUrl: undefined,
      apiPort: undefined,
      workerPort: undefined,
    };
    expect(readLocalConfig({})).toMatchObject(chosenByUs);
    expect(readLocalConfig(nothing)).toMatchObject(chosenByUs);
  });

  it("uses the user's settings, a default port as well", () => {
    const config = readLocalConfig({ DATABASE_URL: 'postgres://db/x', API_PORT: '8080', API_ROOT: 'rest' });
    expect(config).toMatchObject({
      databaseUrl: 'postgres://db/x',
      redisUrl: undefined,
      apiPort: 8080,
      apiRoot: 'rest',
    });
  });

  it('says what is wrong before anything is started', () => {
    expect(() => readLocalConfig({ API_PORT: 'eighty' })).toThrow(/API_PORT must be/);
    expect(() => readLocalConfig({ CALLOUTS_IN_FLIGHT: '0' })).toThrow(/CALLOUTS_IN_FLIGHT must be/);
  });
});

describe('appEnvironment', () => {
  const connections = {
    databaseUrl: 'd',
    redisUrl: 'r',
    redisPrefix: 'p',
    secretKeys: 's',
    smtpUrl: 'm',
    operatorToken: 'o',
  };

  it('opens this machine and nothing else, with any settings', () => {
    const env = { API_HOST: '0.0.0.0', OPERATOR_HOST: '0.0.0.0', WORKER_HEALTH_HOST: '::', LOG_LEVEL: 'debug' };
    expect(appEnvironment(env, connections)).toEqual({
      LOG_LEVEL: 'debug',
      API_HOST: '127.0.0.1',
      OPERATOR_HOST: '127.0.0.1',
      OPERATOR_TOKEN: 'o',
      WORKER_HEALTH_HOST: '127.0.0.1',
      ALLOW_HTTP_TARGETS: 'true',
      CALLOUT_ALLOW_CIDRS: '127.0.0.1/32',
      DATABASE_URL: 'd',
      REDIS_URL: 'r',
      REDIS_PREFIX: 'p',
      SECRET_KEYS: 's',
      SMTP_URL: 'm',
      MAIL_FROM: 'Callout <callout@localhost>',
      MAIL_GATHER: '0',
    });
  });

  it.each([
    ['false', 'false'],
    ['true', 'true'],
    [' ', 'true'],
  ])('lets callouts go out over plain HTTP unless the user has refused that: %j', (set, allowed) => {
    expect(appEnvironment({ ALLOW_HTTP_TARGETS: set }, connections)['ALLOW_HTTP_TARGETS']).toBe(allowed);
    expect(readLocalConfig({ ALLOW_HTTP_TARGETS: set }).allowsHttpTargets).toBe(allowed === 'true');
  });

  it('keeps the sender that the user has set', () => {
    expect(appEnvironment({ MAIL_FROM: 'me@example.com' }, connections)['MAIL_FROM']).toBe('me@example.com');
  });

  it('adds this machine to the ranges that the user has opened', () => {
    const { CALLOUT_ALLOW_CIDRS } = appEnvironment({ CALLOUT_ALLOW_CIDRS: '10.1.0.0/16' }, connections);
    expect(CALLOUT_ALLOW_CIDRS).toBe('10.1.0.0/16,127.0.0.1/32');
  });
});

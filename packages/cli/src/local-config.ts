import { apiConfig } from '@callout/runtime/config/api';
import { parseConfig } from '@callout/runtime/config/parse';
import { workerConfig } from '@callout/runtime/config/worker';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The user's settings that concern `npm start` itself. Undefined: the default applies. */
export interface LocalConfig {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly redisPrefix: string | undefined;
  readonly secretKeys: string | undefined;
  /** Undefined: mail goes to the catcher. */
  readonly smtpUrl: string | undefined;
  /** 0 is any free one. */
  readonly apiPort: number | undefined;
  /** 0 is any free one. */
  readonly workerPort: number | undefined;
  /** 0 is any free one. */
  readonly operatorPort: number | undefined;
  readonly operatorToken: string | undefined;
  /** First segment of every path. */
  readonly apiRoot: string;
  /** Whether webhooks may name the demo receiver, which has no TLS. */
  readonly allowsHttpTargets: boolean;
}

/** Settings that the two processes require, made here unless the user sets them. */
const MADE_HERE = {
  DATABASE_URL: 'postgresql://127.0.0.1/callout',
  REDIS_URL: 'redis://127.0.0.1',
  SECRET_KEYS: `local:${'A'.repeat(43)}=`,
};

/**
 * Reads the environment by the rules of the two processes, before anything is started.
 * @throws ConfigError that lists the errors.
 */
export function readLocalConfig(env: Environment): LocalConfig {
  const setByUser = (key: string) => env[key]?.trim() || undefined;
  const missing = Object.entries(MADE_HERE).filter(([key]) => setByUser(key) === undefined);
  const complete = { ...env, ...Object.fromEntries(missing) };
  const api = parseConfig(apiConfig, complete);
  const worker = parseConfig(workerConfig, complete);
  return {
    databaseUrl: setByUser('DATABASE_URL'),
    redisUrl: setByUser('REDIS_URL'),
    redisPrefix: setByUser('REDIS_PREFIX'),
    secretKeys: setByUser('SECRET_KEYS'),
    smtpUrl: setByUser('SMTP_URL'),
    apiPort: setByUser('API_PORT') === undefined ? undefined : api.API_PORT,
    workerPort: setByUser('WORKER_HEALTH_PORT') === undefined ? undefined : worker.WORKER_HEALTH_PORT,
    operatorPort: setByUser('OPERATOR_PORT') === undefined ? undefined : api.OPERATOR_PORT,
    operatorToken: api.OPERATOR_TOKEN,
    apiRoot: api.API_ROOT,
    allowsHttpTargets: setByUser('ALLOW_HTTP_TARGETS') === undefined || api.ALLOW_HTTP_TARGETS,
  };
}

interface Connections {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  readonly secretKeys: string;
  readonly smtpUrl: string;
  readonly operatorToken: string;
}

/** Sender of all mail, unless the user has set one. */
const MAIL_FROM = 'Callout <callout@localhost>';
const LOOPBACK = '127.0.0.1';

/**
 * The environment of API and worker: the user's settings, connected to the running services, open to this machine only,
 * and allowed to call receivers on this machine, over plain HTTP unless the user has refused plain HTTP.
 */
export function appEnvironment(env: Environment, connections: Connections): Record<string, string | undefined> {
  const opened = [env['CALLOUT_ALLOW_CIDRS']?.trim(), `${LOOPBACK}/32`].filter((range) => range);
  return {
    ...env,
    DATABASE_URL: connections.databaseUrl,
    REDIS_URL: connections.redisUrl,
    REDIS_PREFIX: connections.redisPrefix,
    SECRET_KEYS: connections.secretKeys,
    SMTP_URL: connections.smtpUrl,
    MAIL_FROM: env['MAIL_FROM']?.trim() || MAIL_FROM,
    // A person who tries Callout out expects to see a mail at once.
    MAIL_GATHER: env['MAIL_GATHER']?.trim() || '0',
    // Read already, from a file or a variable.
    OPERATOR_TOKEN: connections.operatorToken,
    OPERATOR_TOKEN_FILE: undefined,
    OPERATOR_HOST: LOOPBACK,
    API_HOST: LOOPBACK,
    WORKER_HEALTH_HOST: LOOPBACK,
    ALLOW_HTTP_TARGETS: env['ALLOW_HTTP_TARGETS']?.trim() || 'true',
    CALLOUT_ALLOW_CIDRS: opened.join(','),
  };
}

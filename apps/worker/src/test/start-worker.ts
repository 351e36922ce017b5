import { randomBytes } from 'node:crypto';
import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { KeyRing } from '@callout/core/secrets';
import { type Database, openDatabase } from '@callout/db/connection';
import { createProducer, type Producer } from '@callout/queue';
import { parseConfig, readCatalogueFiles, workerConfig } from '@callout/runtime/config';
import { createLogger } from '@callout/runtime/log';
import { startRoles } from '../roles.ts';

/** All roles of a worker, as `main.ts` runs them. */
export interface RunningWorker {
  database: Database;
  /** Seals what this worker can open. */
  keyRing: KeyRing;
  producer: Producer;
  stop(): Promise<void>;
}

/** Starts all roles; receivers are on 127.0.0.1, and mail waits unless there is an SMTP_URL. @param env settings that differ from those in production. */
export async function startWorker(
  databaseUrl: string,
  redis: { url: string; prefix: string },
  env: Record<string, string>,
): Promise<RunningWorker> {
  const config = parseConfig(workerConfig, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    REDIS_PREFIX: redis.prefix,
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    ALLOW_HTTP_TARGETS: 'true',
    CALLOUT_ALLOW_CIDRS: '127.0.0.1/32',
    ...env,
  });
  const onError = () => undefined;
  const database = openDatabase({ url: databaseUrl, poolSize: 8, applicationName: 'test', onError });
  const redisOptions = { url: redis.url, prefix: redis.prefix, onError };
  const producer = createProducer(redisOptions);
  const deps = {
    config,
    catalogue: buildCatalogue(await readCatalogueFiles(ownCatalogueDir)),
    pool: database.pool,
    producer,
    redis: redisOptions,
    log: createLogger({ service: 'worker', level: 'silent' }),
  };
  const steps = startRoles(config.WORKER_ROLES, deps);
  return {
    database,
    keyRing: KeyRing.parse(config.SECRET_KEYS),
    producer,
    async stop() {
      for (const step of steps) await step.stop();
      await producer.close();
      await database.close();
    },
  };
}

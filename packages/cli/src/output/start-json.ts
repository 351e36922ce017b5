import type { LocalServices } from '../services/start-services.ts';

/** What a script needs, on one line. Keys are only ever added to it. */
export function startJson(services: LocalServices): string {
  const { api, worker, receiver, mail, postgres, redis, demo, operator } = services;
  return JSON.stringify({
    api,
    receiver: receiver.url,
    mail: mail.url,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    credentials: demo.credentials,
    worker,
    operator,
    console: services.console ?? null,
  });
}

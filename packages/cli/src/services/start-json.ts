import type { LocalServices } from './start-services.ts';

/** The addresses and credentials for scripts, on one line. Keys are only ever added. */
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

export { startPostgres, type LocalPostgres, type PostgresOptions } from './postgres/start-postgres.ts';
export { startRedis, type LocalRedis, type RedisOptions } from './redis/start-redis.ts';
export { sharedPostgres, sharedRedis } from './test-run/ask-services.ts';
export {
  createDisposableDatabase,
  type DisposableDatabase,
  type DisposableDatabaseOptions,
} from './test-run/disposable-database.ts';
export { SHARED_SERVICES, type SharedPostgres, type SharedRedis } from './test-run/announcement.ts';
export { serveSharedServices, type SharedServices, type SharedServicesOptions } from './test-run/shared-services.ts';

export { type LocalRedis, startRedis } from './start-redis.ts';

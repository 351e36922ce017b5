export { createConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
export type { RedisConnection } from './connect.ts';
export { jobNames, type JobName, type Jobs } from './jobs.ts';
export { createProducer, type Producer, type ProducerOptions } from './producer.ts';
export { checkRedis, connectCounter, connectProducer } from './redis.ts';
export { removeKeys } from './remove-keys.ts';
export { createWakeInTurn } from './wake-in-turn.ts';

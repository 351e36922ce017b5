export { createConsumer, type Consumer, type ConsumerOptions } from './consumer.ts';
export type { RedisConnection } from './connect.ts';
export { createFairEnqueue } from './enqueue-fairly.ts';
export { createEventConsumer, type EventConsumerOptions } from './event-consumer.ts';
export { mostQueuedEvents } from './event-queue.ts';
export { jobNames, type JobName, type Jobs } from './jobs.ts';
export { createProducer, type Producer, type ProducerOptions } from './producer.ts';
export { checkRedis, connectCounter, connectProducer } from './redis.ts';
export { removeKeys } from './remove-keys.ts';

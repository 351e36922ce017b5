export { createConsumer, type Consumer, type ConsumerOptions } from './jobs/consumer.ts';
export type { RedisConnection } from './redis/connect.ts';
export { createFairEnqueue } from './events/enqueue-fairly.ts';
export { createEventConsumer, type EventConsumerOptions } from './events/event-consumer.ts';
export { mostQueuedEvents } from './events/event-queue.ts';
export { jobNames, type JobName, type Jobs } from './jobs/jobs.ts';
export { createProducer, type Producer, type ProducerOptions } from './jobs/producer.ts';
export { checkRedis, connectCounter, connectProducer } from './redis/redis.ts';
export { removeKeys } from './redis/remove-keys.ts';
export { createPullBell, createPullListener, type PullBell, type PullListener } from './pull/index.ts';
export {
  createLivePublisher,
  createLiveSubscriber,
  liveResultsOf,
  type LiveResult,
  type LiveSubscriber,
} from './live/index.ts';
export { createQueueBoard, type QueueBoard } from './board/queue-board.ts';
export { createQueueReader, type QueueFigures, type QueueReader } from './board/queue-figures.ts';

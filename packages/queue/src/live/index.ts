export { liveResultsOf } from './live-results-of.ts';
export { createLivePublisher } from './live-publisher.ts';
export type { LiveResult } from './live-result.ts';
export { createLiveSubscriber, type LiveSubscriber } from './live-subscriber.ts';

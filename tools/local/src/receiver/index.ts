export type { ReceivedCallout } from './verify-callout.ts';
export { type Receiver, startReceiver } from './start-receiver.ts';

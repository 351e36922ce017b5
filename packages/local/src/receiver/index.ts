export type { ReceivedCallout } from './received-callout.ts';
export { type Receiver, startReceiver } from './start-receiver.ts';

export type { Answer } from './answer.ts';
export type { RawBody } from './bytes.ts';
export type { Action, Callout, FieldValues, Payload } from './callout.ts';
export type { RequestHeaders } from './headers.ts';
export {
  createMemoryOrderStore,
  type MemoryOrderStoreOptions,
  newestFields,
  type OrderStep,
  type OrderStore,
} from './order.ts';
export {
  createReceiver,
  type ReceiveContext,
  type ReceivedCallout,
  type Receiver,
  type ReceiverOptions,
} from './receiver.ts';
export {
  createMemoryRepeatStore,
  type MemoryRepeatStoreOptions,
  type RepeatState,
  type RepeatStore,
} from './repeats.ts';
export { RetryLater } from './retry-later.ts';
export { VerificationError, type VerificationErrorCode } from './verification-error.ts';
export { type Secrets, verify, type VerifyOptions } from './verify.ts';

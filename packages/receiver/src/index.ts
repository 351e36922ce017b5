export { consume, type ConsumeContext, type ConsumeOptions } from './consume/consume.ts';
export { ConsumeError } from './consume/consume-error.ts';
export type { ConsumeCredential } from './consume/pull-api.ts';
export { createLedger, type Ledger, type LedgerRange, type LedgerReport } from './ledger.ts';
export { createMemoryLedgerStore, type LedgerNumbers, type LedgerStore } from './ledger-store.ts';
export type { Answer } from './receiver/answer.ts';
export type { RawBody } from './verify/bytes.ts';
export type { Action } from './verify/typed-payload.ts';
export type { TypedPayload, TypedShape, TypedValue } from './verify/typed-payload.ts';
export type { Callout, CalloutShape, FieldValues, Payload, Sends } from './verify/callout.ts';
export type { RequestHeaders } from './verify/headers.ts';
export {
  createMemoryOrderStore,
  type MemoryOrderStoreOptions,
  newestFields,
  type OrderStep,
  type OrderStore,
} from './receiver/order.ts';
export type { ReceivedCallout } from './receiver/handling.ts';
export { createReceiver, type ReceiveContext, type Receiver, type ReceiverOptions } from './receiver/receiver.ts';
export {
  createMemoryRepeatStore,
  type MemoryRepeatStoreOptions,
  type RepeatState,
  type RepeatStore,
} from './receiver/repeats.ts';
export { RetryLater } from './receiver/retry-later.ts';
export { type PublicKeys, publicKeysAt, type PublicKeysOptions } from './verify/public-keys.ts';
export { VerificationError, type VerificationErrorCode } from './verify/verification-error.ts';
export { type Secrets, verify, type VerifyOptions } from './verify/verify.ts';

export { type AnswerForm, answerTo, type IntakeItem } from './answer.ts';
export {
  eventKeyOf,
  type EventKeys,
  type LockedRecord,
  type NewEvent,
  type RecordJson,
  type RecordKey,
  recordKeyOf,
} from './commit-rows.ts';
export { type Action, actions, type CalloutAction } from './event.ts';
export { canonicalInstant, toWireInstant } from './values/instant.ts';
export type { OwnEvent } from './own-event.ts';
export { applyChange, type KnownRecord, unseenRecord } from './record.ts';
export type {
  Expectation,
  IntakeEvent,
  IntakeRequest,
  IntakeResult,
  RepeatKey,
  SignInProof,
  StoredAnswer,
} from './request.ts';
export { type CommitState, IdTaken, type PlacedEvent, takeRequest } from './take.ts';
export { emptyFieldValues, type FieldValue, type FieldValues, fromWireValue, toWireValue } from './values/values.ts';

import type { Problem } from '../errors/problem.ts';
import type { AnswerForm, IntakeItem } from './answer.ts';
import type { Action } from './event.ts';
import type { FieldValues } from './values/values.ts';

/** What must be known of the record for a change to be taken: 'anything' is for products that own their records. */
export type Expectation = 'absent' | 'present' | 'anything';

/** One change of one record, validated and in wire form. */
export interface IntakeEvent {
  entityType: string;
  action: Action;
  /** Null: the next id of the collection. */
  recordId: number | null;
  expects: Expectation;
  /** The acting resource. */
  personId: number;
  /** Null: the moment of acceptance. */
  eventTime: Date | null;
  /** The caller's eventID; null: the service makes one. */
  eventKey: string | null;
  /** SHA-256 of the event's content, to tell a repeat from a clash. Needed with an eventKey. */
  contentHash: Buffer | null;
  /** The new values; what is not named keeps its value, except that a Create begins with nothing known. */
  fields: FieldValues;
  udfFields: FieldValues;
  /** What the caller says has changed; null: compare with what is known. */
  changed: { fields: string[]; udfs: number[] } | null;
}

/** What makes an API request safe to repeat: with the same key it is taken once within 24 hours. */
export interface RepeatKey {
  credentialId: number;
  /** Method and path: a key counts for one route of one credential. */
  route: string;
  /** The `Idempotency-Key`. */
  key: string;
  /** SHA-256 of what is asked for, to tell a repeat from another request under the same key. */
  requestHash: Buffer;
  /** The answer once the events are committed: it is stored together with them. */
  answer: AnswerForm;
}

/** What a request was answered, to be answered again. */
export interface StoredAnswer {
  status: number;
  body: string;
}

/** How a caller was let in before: its commit confirms that the same is still true. */
export interface SignInProof {
  foldedUserName: string;
  /** Where the request comes from, as lockouts go by it. */
  address: string;
  /** Identifies the versions of the credential, its resource and its tenant: any change of them makes another one. */
  stamp: string;
}

/** The changes of one API request: taken as a whole, or not at all. */
export interface IntakeRequest {
  tenantId: number;
  events: IntakeEvent[];
  repeatKey?: RepeatKey;
  /** Absent where the caller has just been let in. */
  signIn?: SignInProof;
  /** The `traceparent` of the request, in the form of version 00. */
  traceParent?: string;
}

export type IntakeResult =
  | { kind: 'accepted'; items: IntakeItem[] }
  /** It was taken before under its repeatKey, and this is what it was answered then. */
  | { kind: 'repeated'; answer: StoredAnswer }
  /** Nothing was done: its sign-in has changed since, and may count no longer. */
  | { kind: 'staleSignIn' }
  /** Nothing was done: its tenant is being moved to another zone. */
  | { kind: 'moving' }
  /** `index`: which event of the request is the reason; null: the request itself. */
  | { kind: 'refused'; index: number | null; problem: Problem };

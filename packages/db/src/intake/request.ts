import type { Action, FieldValues, Problem } from '@callout/core';

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

/** The changes of one API request: taken as a whole, or not at all. */
export interface IntakeRequest {
  tenantId: number;
  events: IntakeEvent[];
}

export interface IntakeItem {
  /** The caller's eventID, or the one the service made. */
  eventId: string;
  recordId: number;
  /** 'unchanged': an update that changes nothing makes no event. */
  status: 'accepted' | 'duplicate' | 'unchanged';
}

export type IntakeResult =
  | { kind: 'accepted'; items: IntakeItem[] }
  /** `index`: which event of the request is the reason. */
  | { kind: 'refused'; index: number; problem: Problem };

import type { Problem } from '@callout/domain/problem';
import type { Action } from '@callout/domain/event';
import type { FieldValues } from '@callout/domain/values/values';

/** The required state of the record for a change to be accepted: 'anything' is for products that own their records. */
export type Expectation = 'absent' | 'present' | 'anything';

/** One change of one record, validated and in wire form. */
export interface IngestEvent {
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
  /** SHA-256 of the event's content, to distinguish a repeat from a clash. Required with an eventKey. */
  contentHash: Buffer | null;
  /** The new values; fields without one keep their value, except that a Create starts without known values. */
  fields: FieldValues;
  udfFields: FieldValues;
  /** Fields that get the tenant's next number of the day, each with the prefix of its numbers; absent: none. */
  dailyNumbers?: readonly DailyNumber[];
  /** Names of fields and ids of UDF definitions, as stated by the caller; null: compare with the known values. */
  changed: { fields: string[]; udfs: number[] } | null;
}

/** A field whose value is a number such as `T20261128.0001`. */
export interface DailyNumber {
  field: string;
  prefix: string;
}

/** Makes an API request safe to repeat: with the same key it is accepted once within 24 hours. */
export interface IdempotencyKey {
  credentialId: number;
  /** Method and path: a key counts for one route of one credential. */
  route: string;
  /** The `Idempotency-Key`. */
  key: string;
  /** SHA-256 of the request, to distinguish a repeat from another request under the same key. */
  requestHash: Buffer;
  /** The response once the events are committed: it is stored together with them. */
  response: ResponseForm;
}

/** The response to a request, to be sent again. */
export interface StoredResponse {
  status: number;
  body: string;
}

/** An authentication from the cache: the commit confirms that it is still valid. */
export interface CachedAuthentication {
  foldedUserName: string;
  /** The address of the client, by which lockouts are counted. */
  address: string;
  /**
   * Identifies the versions of the credential, its resource and its tenant: any change of them results in another one.
   */
  version: string;
}

/** The changes of one API request: accepted as a whole, or not at all. */
export interface IngestRequest {
  tenantId: number;
  events: IngestEvent[];
  idempotencyKey?: IdempotencyKey;
  /** Absent where the caller has just been authenticated. */
  authentication?: CachedAuthentication;
  /** The `traceparent` of the request, in the form of version 00. */
  traceParent?: string;
}

/** Names a record. */
export interface RecordKey {
  tenantId: number;
  entityType: string;
  recordId: number;
}

export function recordKeyOf({ tenantId, entityType, recordId }: RecordKey): string {
  return `${tenantId}/${entityType}/${recordId}`;
}

/** An event whose record has an id. */
export type PlacedEvent = IngestEvent &
  RecordKey & {
    recordId: number;
    /** Whether the service assigned the id of the record. */
    isNewId: boolean;
    /** The `traceparent` of the request; null: the request was not traced. */
    traceParent: string | null;
  };

/** A request whose events have the ids of their records. */
export type PlacedRequest = Omit<IngestRequest, 'events'> & { events: PlacedEvent[] };

export type IngestResult =
  | { kind: 'accepted'; items: IngestItem[] }
  /** It was accepted under its idempotency key before, with this response. */
  | { kind: 'repeated'; response: StoredResponse }
  /** Nothing was done: its authentication has changed since and may be invalid. */
  | { kind: 'staleAuthentication' }
  /** Nothing was done: its tenant is being moved to another zone. */
  | { kind: 'moving' }
  /** `index`: the event of the request that is the reason; null: the request itself. */
  | { kind: 'refused'; index: number | null; problem: Problem };

/** Additional information for the caller; without keys for empty lists. */
export interface Remarks {
  ignored?: string[];
  warnings?: string[];
}

/** The response to an accepted request, without the parts that only its commit knows. */
export type ResponseForm =
  | {
      readonly kind: 'batch';
      readonly remarks: Remarks;
      /** One per event, in their order. */
      readonly ofEvents: readonly Remarks[];
    }
  | { readonly kind: 'record'; readonly remarks: Remarks };

/** The result of one event. */
export interface IngestItem {
  /** The caller's eventID, or the one that the service made. */
  eventId: string;
  recordId: number;
  /** 'unchanged': an update without changes makes no event. */
  status: 'accepted' | 'duplicate' | 'unchanged';
}

/**
 * The response to an accepted request. A pure function of data, since the response is stored together with the
 * events when the request has an `Idempotency-Key`.
 */
export function responseTo(form: ResponseForm, items: readonly IngestItem[]): { status: number; body: object } {
  if (form.kind === 'batch') {
    const answers = items.map(({ eventId, status }, index) => ({ eventID: eventId, status, ...form.ofEvents[index] }));
    return { status: 202, body: { items: answers, ...form.remarks } };
  }
  const [item] = items;
  if (item === undefined) throw new Error('a write of a record has one event');
  return { status: 200, body: { itemId: item.recordId, ...form.remarks } };
}

import { Problem } from '@callout/domain/problem';
import {
  responseTo,
  type IngestResult,
  type IdempotencyKey,
  type StoredResponse,
  type IngestEvent,
} from './request.rules.ts';
import type { Action } from '@callout/domain/event';
import type { FieldValues } from '@callout/domain/values/values';

/** A key of one route of one credential. */
export type IdempotencyKeyName = Pick<IdempotencyKey, 'credentialId' | 'route' | 'key'>;

/** The stored data of one `Idempotency-Key`. */
interface KnownKey extends IdempotencyKeyName {
  requestHash: Buffer;
  /** Null: claimed by this transaction, and free until a request is accepted under it. */
  response: StoredResponse | null;
  /** Whether this transaction has claimed it, so that it must be stored or released. */
  isOurs: boolean;
}

export type IdempotencyKeys = Map<string, KnownKey>;

/** Identifies a key of a credential and a route. */
export function idempotencyKeyName({ credentialId, route, key }: IdempotencyKeyName): string {
  return `${credentialId} ${route} ${key}`;
}

/** The key of a request; `requestHash` null: of any request. */
export interface RequestedKey extends IdempotencyKeyName {
  readonly requestHash: Buffer | null;
}

/** A stored response, and the request that it belongs to. */
export interface RepeatableResponse {
  readonly requestHash: Buffer;
  readonly response: StoredResponse;
}

/**
 * The result of a request under a key that was used before: the stored response, or `conflict` when it is
 * another request.
 */
export function repeatOf(
  kept: RepeatableResponse,
  requestHash: Buffer,
): Extract<IngestResult, { kind: 'repeated' | 'refused' }> {
  if (kept.requestHash.equals(requestHash)) return { kind: 'repeated', response: kept.response };
  const problem = Problem.conflict(
    'This Idempotency-Key was used for another request: give a different request a key of its own',
    'Idempotency-Key',
  );
  return { kind: 'refused', index: null, problem };
}

/** The result of a request that was accepted under its key before; undefined: it was not. */
export function resultOfRepeat(keys: IdempotencyKeys, idempotencyKey: IdempotencyKey): IngestResult | undefined {
  const { response, ...known } = keyOf(keys, idempotencyKey);
  return response === null ? undefined : repeatOf({ ...known, response }, idempotencyKey.requestHash);
}

/** Accepts a request under its key, unless it was accepted before. */
export function acceptOnce(
  keys: IdempotencyKeys,
  idempotencyKey: IdempotencyKey,
  accept: () => IngestResult,
): IngestResult {
  const repeated = resultOfRepeat(keys, idempotencyKey);
  if (repeated) return repeated;
  const known = keyOf(keys, idempotencyKey);
  const result = accept();
  if (result.kind === 'accepted') {
    // Another request of this commit may have claimed the key first, with other content, and been refused.
    known.requestHash = idempotencyKey.requestHash;
    const { status, body } = responseTo(idempotencyKey.response, result.items);
    known.response = { status, body: JSON.stringify(body) };
  }
  return result;
}

function keyOf(keys: IdempotencyKeys, name: IdempotencyKeyName): KnownKey {
  const known = keys.get(idempotencyKeyName(name));
  if (!known) throw new Error('an Idempotency-Key was not claimed');
  return known;
}

/** An event that was posted without an eventID: its id is the eventID in the response. */
export interface OwnEvent {
  tenantId: number;
  id: string;
  entityType: string;
  recordId: number;
  action: Action;
  personId: number;
  eventTime: Date;
  changedFields: string[];
  changedUdfs: number[];
  fields: FieldValues;
  udfFields: FieldValues;
}

/**
 * Whether an event that is posted under the id of a stored one may be the same event. The earlier request is not
 * stored, only the resulting record; so the values that are given now must be those that the record had right after it.
 */
export function isSameEvent(given: IngestEvent, known: OwnEvent): boolean {
  return (
    given.entityType === known.entityType &&
    given.recordId === known.recordId &&
    given.action === known.action &&
    given.personId === known.personId &&
    (given.eventTime === null || wholeSeconds(given.eventTime) === wholeSeconds(known.eventTime)) &&
    isWithin(given.fields, known.fields) &&
    isWithin(given.udfFields, known.udfFields) &&
    (given.changed === null ||
      (areSame(given.changed.fields, known.changedFields) && areSame(given.changed.udfs, known.changedUdfs)))
  );
}

function wholeSeconds(moment: Date): number {
  return Math.floor(moment.getTime() / 1000);
}

function isWithin(given: FieldValues, known: FieldValues): boolean {
  return Object.keys(given).every((name) => Object.hasOwn(known, name) && given[name] === known[name]);
}

function areSame<T>(some: readonly T[], others: readonly T[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}

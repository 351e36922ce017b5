import { describe, expect, it } from '@jest/globals';
import { Problem } from '@callout/domain/problem';
import { acceptOnce, idempotencyKeyName, type IdempotencyKeys } from './idempotency-keys.rules.ts';
import type { IdempotencyKey, IngestResult, StoredResponse } from './request.rules.ts';

const name = { credentialId: 1, route: 'POST /Companies', key: 'k' };
const keyOf = (request: string): IdempotencyKey => ({
  ...name,
  requestHash: Buffer.from(request),
  response: { kind: 'record', remarks: {} },
});
/** The key as a commit finds it: free, or with the response to `request`. */
const known = (request: string, response: StoredResponse | null): IdempotencyKeys =>
  new Map([
    [idempotencyKeyName(name), { ...name, requestHash: Buffer.from(request), response, isClaimed: response === null }],
  ]);
const accepted: IngestResult = { kind: 'accepted', items: [{ eventId: 'e', recordId: 4, status: 'accepted' }] };
const refused: IngestResult = { kind: 'refused', index: 0, problem: Problem.invalid('no') };
const never = () => {
  throw new Error('it is accepted once only');
};
const answer = { status: 200, body: '{"itemId":4}' };

describe('a request with an idempotency key', () => {
  it('is accepted under a free key, which then has its response', () => {
    const keys = known('a', null);
    expect(acceptOnce(keys, keyOf('a'), () => accepted)).toBe(accepted);
    expect(keys.get(idempotencyKeyName(name))?.response).toEqual(answer);
    expect(acceptOnce(keys, keyOf('a'), never)).toEqual({ kind: 'repeated', response: answer });
  });

  it('is answered as before, and is a conflict with other content', () => {
    expect(acceptOnce(known('a', answer), keyOf('a'), never)).toEqual({ kind: 'repeated', response: answer });
    const other = acceptOnce(known('a', answer), keyOf('b'), never);
    expect(other).toMatchObject({ kind: 'refused', index: null, problem: { kind: 'conflict' } });
  });

  it('leaves its key free when it is refused, also for other content', () => {
    const keys = known('a', null);
    expect(acceptOnce(keys, keyOf('a'), () => refused)).toBe(refused);
    expect(acceptOnce(keys, keyOf('b'), () => accepted)).toBe(accepted);
    expect(acceptOnce(keys, keyOf('b'), never)).toEqual({ kind: 'repeated', response: answer });
  });
});

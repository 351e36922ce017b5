import { describe, expect, it } from '@jest/globals';
import { describeAnswer } from './answers.ts';

describe('a response that is not a success', () => {
  it.each([
    [500, {}, 'The receiver answered 500: it failed. See the log of the receiver.'],
    [
      404,
      { location: '/there', 'retry-after': '5' },
      'The receiver answered 404: it has nothing at this path. Check the path in the URL.',
    ],
    [410, {}, 'The receiver answered 410: it is gone for good. Activate the webhook again when it is back.'],
    [
      304,
      {},
      'The receiver answered 304, which means that nothing has changed since an earlier answer. Only a status from 200 to 299 counts as delivered.',
    ],
    [
      302,
      { location: '/new' },
      'The receiver answered 302 with the location /new, and redirects are not followed. Use the final address as the URL.',
    ],
    [
      307,
      { location: 'https://a.example/in/?token=mine#x' },
      'The receiver answered 307 with the location https://a.example/in/?…, and redirects are not followed. Use the final address as the URL.',
    ],
    [
      401,
      {},
      'The receiver answered 401: it does not accept the signature, or asks for credentials. Check that it verifies with the secret of this webhook. If it asks for credentials, set receiverAuth of the webhook.',
    ],
    [418, {}, 'The receiver answered 418. The body of its answer may say why.'],
    [600, {}, 'The receiver answered 600. Only a status from 200 to 299 counts as delivered.'],
    [
      429,
      {},
      'The receiver answered 429: it gets too many requests. Limit the calls of the webhook (maxCallsPerSecond), raise the limit of the receiver, or let it answer with Retry-After.',
    ],
    [429, { 'retry-after': '120' }, 'The receiver answered 429 and asked to wait (Retry-After: 120).'],
    [
      503,
      { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' },
      'The receiver answered 503 and asked to wait (Retry-After: Wed, 21 Oct 2026 07:28:00 GMT).',
    ],
    [
      503,
      { 'retry-after': 'soon' },
      'The receiver answered 503 with a Retry-After that is neither seconds nor a date, so the usual wait applies.',
    ],
    [
      503,
      { 'retry-after': '-1' },
      'The receiver answered 503 with a Retry-After that is neither seconds nor a date, so the usual wait applies.',
    ],
  ])('%d %j is explained', (status, headers, sentence) => {
    expect(describeAnswer(status, headers)).toBe(sentence);
  });

  it.each([200, 204, 299])('is not %d', (status) => {
    expect(describeAnswer(status, { location: '/new' })).toBeNull();
  });
});

import { describe, expect, it } from '@jest/globals';
import { requestHeadersInput } from './request-headers.ts';

const problemsOf = (given: unknown) => {
  const parsed = requestHeadersInput.safeParse(given);
  return parsed.success ? [] : parsed.error.issues.map(({ message }) => message);
};
const headers = (count: number) => Array.from({ length: count }, (_none, nth) => ({ name: `X-${nth}`, value: 'v' }));

describe('request headers', () => {
  it('are up to 20, with values of up to 4,096 characters', () => {
    expect(problemsOf(headers(20))).toEqual([]);
    expect(problemsOf(headers(21))).toEqual(['must have 20 headers or fewer']);
    expect(problemsOf([{ name: 'X-A', value: 'v'.repeat(4096) }])).toEqual([]);
    expect(problemsOf([{ name: 'X-A', value: 'v'.repeat(4097) }])).toEqual([
      'entry 1, X-A, must have a value of 4096 characters or fewer',
    ]);
  });

  it.each([
    ['Host', 'is set by Callout'],
    ['CONTENT-LENGTH', 'is set by Callout'],
    ['content-type', 'is set by Callout'],
    ['User-Agent', 'is set by Callout'],
    ['traceparent', 'is set by Callout when it traces'],
    ['Transfer-Encoding', 'belongs to the connection'],
    ['connection', 'belongs to the connection'],
    ['Upgrade', 'belongs to the connection'],
    ['Proxy-Authorization', 'belongs to the connection'],
    ['Content-Encoding', 'says that the body is encoded'],
    ['webhook-signature', 'it is set by Callout'],
    ['Webhook-Anything', 'it is set by Callout'],
    ['X-Hook-Signature', 'it is set by Callout'],
    ['__proto__', undefined],
    ['constructor', undefined],
  ])('may not all be chosen: %s', (name, why) => {
    expect(problemsOf([{ name, value: 'v' }])).toEqual(
      why === undefined ? [] : [expect.stringContaining(`entry 1, ${name}, cannot be chosen: it`)],
    );
    if (why !== undefined) expect(problemsOf([{ name, value: 'v' }])[0]).toContain(why);
  });

  it.each([
    '',
    ' ',
    'X A',
    'X-A:',
    'X-A\r\nHost',
    'X-Ä',
    'X-A\u0000',
    'X-A\u010A',
    '\uFF38-A',
    'X(A)',
    'x'.repeat(101),
  ])('must have a token as name: %j', (name) => {
    const [problem = ''] = problemsOf([{ name, value: 'v' }]);
    expect(problem).toContain('must have a name of');
    // Part of a request that somebody tried to smuggle in does not come back in an answer.
    expect(problem).not.toContain('Host');
  });

  it.each([
    '',
    ' a',
    'a ',
    '\ta',
    'a\r\nX-Hook-Signature: sha1=x',
    'a\n b',
    'a\r\n\tfolded',
    'a\rb',
    'a\u0000b',
    'a\u007f',
    'a\u0085b',
    'a\u2028b',
    // Their low bytes are those of CR and LF: a client that writes Latin-1 sends these.
    'a\u010D\u010Ab',
    'a\u560D\u560Ab',
    'ä',
    'a%0d%0aHost: b',
    'a%0D',
    'a%0Ab',
    'a%00b',
  ])('must have a value that cannot end a line: %j', (value) => {
    const [problem = ''] = problemsOf([{ name: 'X-A', value }]);
    expect(problem).toMatch(/^entry 1, X-A, must have a value /u);
    if (value.length > 3) expect(problem).not.toContain(value);
  });

  it.each(['secret', 'Bearer a.b_c-d', 'a\tb', 'k="v", q;x=%41', `~!@#$%^&*()_+{}|:"<>?`])(
    'may have the value %j',
    (value) => {
      expect(problemsOf([{ name: 'X-A', value }])).toEqual([]);
    },
  );

  it('have each name once, whatever its case', () => {
    const twice = [
      { name: 'X-A', value: '1' },
      { name: 'x-a', value: '2' },
    ];
    expect(problemsOf(twice)).toEqual(['entry 2, x-a, occurs twice']);
  });

  it.each([null, {}, 'X-A: b', [null], ['X-A'], [{ name: 'X-A' }], [{ name: 1, value: 2 }]])(
    'are objects: not %j',
    (given) => {
      expect(problemsOf(given)).toHaveLength(1);
    },
  );
});

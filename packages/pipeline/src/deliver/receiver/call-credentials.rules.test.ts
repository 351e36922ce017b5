import { describe, expect, it } from '@jest/globals';
import { withoutSecrets } from './call-credentials.rules.ts';

function shown(text: string, secrets: readonly string[]): string {
  const answered = { kind: 'answered', status: 200, bodyCut: null, durationMs: 1 } as const;
  const outcome = withoutSecrets({ ...answered, headers: { echo: text }, body: Buffer.from(text) }, secrets);
  if (outcome.kind !== 'answered') throw new Error('an answer became a failure');
  expect(Buffer.from(outcome.headers['echo'] ?? '', 'latin1').toString()).toBe(outcome.body.toString());
  return outcome.body.toString();
}

describe('an answer that sends secrets back', () => {
  it.each([
    ['a secret in a text', 'got secret-1!', ['secret-1'], 'got <redacted>!'],
    [
      'a secret that begins with another one',
      'secret-1, secret-123',
      ['secret-1', 'secret-123'],
      '<redacted>, <redacted>',
    ],
    ['a secret as JSON spells it', String.raw`{"k":"a\"b\\secret"}`, [String.raw`a"b\secret`], '{"k":"<redacted>"}'],
    ['nothing that may occur by chance', 'abcde', ['abcde'], 'abcde'],
  ])('is shown without them: %s', (_what, text, secrets, expected) => {
    expect(shown(text, secrets)).toBe(expected);
  });
});

import { describe, expect, it } from '@jest/globals';
import { readTokenAnswer } from './token-exchange.rules.ts';

const fiveMinutesLessMargin = 240_000;

function answering(expiresIn: string) {
  const body = Buffer.from(`{"access_token":"x","expires_in":${expiresIn}}`);
  return { kind: 'answered', status: 200, headers: {}, body, bodyCut: null, durationMs: 1 } as const;
}

describe('how long a token is used', () => {
  it.each([
    ['3600', 3_540_000],
    ['"3600"', 3_540_000],
    ['10', 8_000],
    ['0', 0],
    ['1e400', 86_340_000],
    ['-1', fiveMinutesLessMargin],
    ['null', fiveMinutesLessMargin],
    ['true', fiveMinutesLessMargin],
    ['"soon"', fiveMinutesLessMargin],
    ['""', fiveMinutesLessMargin],
    ['{"valueOf":1}', fiveMinutesLessMargin],
  ])('follows an expires_in of %s', (expiresIn, usableMs) => {
    expect(readTokenAnswer(answering(expiresIn), 'host')).toEqual({ kind: 'issued', token: 'x', usableMs });
  });

  it('follows no expires_in of lists in lists, however deep', () => {
    const expiresIn = '['.repeat(20_000) + ']'.repeat(20_000);
    expect(readTokenAnswer(answering(expiresIn), 'host')).toMatchObject({ usableMs: fiveMinutesLessMargin });
  });
});

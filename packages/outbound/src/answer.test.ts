import { describe, expect, it } from '@jest/globals';
import { Answer } from './answer.ts';

describe('Answer', () => {
  it('keeps the bytes as received, from pieces of any size', () => {
    const answer = new Answer(100);
    answer.begin(200, {});
    for (const piece of ['a', '', 'bc', 'defghijkl']) expect(answer.add(Buffer.from(piece))).toBe(true);
    expect(answer.outcome(null, 5)).toMatchObject({
      kind: 'answered',
      status: 200,
      body: Buffer.from('abcdefghijkl'),
      bodyCut: null,
      durationMs: 5,
    });
  });

  it('keeps exactly the limit and records that there was more', () => {
    const answer = new Answer(4);
    answer.begin(200, {});
    expect(answer.add(Buffer.from('abcd'))).toBe(true);
    expect(answer.add(Buffer.from('e'))).toBe(false);
    expect(answer.outcome('size', 0)).toMatchObject({ body: Buffer.from('abcd'), bodyCut: 'size' });
  });

  it('uses one buffer of about the size of the body, however small its pieces', () => {
    const answer = new Answer(65_536);
    answer.begin(200, {});
    for (let count = 0; count < 65_536; count += 1) answer.add(Buffer.from('x'));
    const { body } = answer.outcome(null, 0);
    expect([body.length, body.buffer.byteLength]).toEqual([65_536, 65_536]);
  });

  it('joins repeated headers and keeps names that objects inherit', () => {
    const answer = new Answer(1);
    answer.begin(200, { 'set-cookie': ['a=1', 'b=2'], constructor: 'x', 'x-none': undefined });
    expect(Object.entries(answer.outcome(null, 0).headers)).toEqual([
      ['set-cookie', 'a=1, b=2'],
      ['constructor', 'x'],
    ]);
    expect(answer.outcome(null, 0).headers['toString']).toBeUndefined();
  });

  it('has no outcome before its status line', () => {
    const answer = new Answer(1);
    expect(answer.hasBegun).toBe(false);
    expect(() => answer.outcome(null, 0)).toThrow('without a status line');
  });
});

import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { answerPieces, PIECE_BYTES } from './answer-pieces.ts';

const textOf = (body: unknown) => {
  const pieces = answerPieces({ body });
  return typeof pieces === 'string' ? pieces : Buffer.concat(pieces).toString();
};

describe('the pieces of an answer', () => {
  it('are the JSON of it, whatever it is', () => {
    const page = fc.record({
      items: fc.array(fc.jsonValue()),
      pageDetails: fc.option(fc.jsonValue(), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.oneof(page, fc.jsonValue()), (body) => {
        expect(textOf(body)).toBe(JSON.stringify(body));
      }),
    );
  });

  it('are those of a text where it comes in parts', () => {
    const parts = ['<a>', 'ü'.repeat(PIECE_BYTES), '</a>'];
    const pieces = answerPieces({ body: undefined, parts }) as Buffer[];
    expect(Buffer.concat(pieces).toString()).toBe(parts.join(''));
    expect(answerPieces({ body: undefined, parts: ['<a/>'] })).toBe('<a/>');
  });

  it('are small, also of an item or a body that is large, and cut no character in two for the reader', () => {
    const large = 'ü€😀'.repeat(PIECE_BYTES);
    for (const body of [{ items: [1, large, { large }], pageDetails: { count: 3 } }, { item: large }]) {
      const pieces = answerPieces({ body }) as Buffer[];
      expect(Math.max(...pieces.map(({ length }) => length))).toBe(PIECE_BYTES);
      expect(textOf(body)).toBe(JSON.stringify(body));
    }
  });
});

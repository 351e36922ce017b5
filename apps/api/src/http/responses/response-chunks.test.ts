import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { responseChunks, CHUNK_BYTES } from './response-chunks.ts';

const textOf = (body: unknown) => {
  const chunks = responseChunks({ body });
  return typeof chunks === 'string' ? chunks : Buffer.concat(chunks).toString();
};

describe('the chunks of a response', () => {
  it('are its JSON, for any body', () => {
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

  it('join to the same text when the response comes in parts', () => {
    const parts = ['<a>', 'ü'.repeat(CHUNK_BYTES), '</a>'];
    const chunks = responseChunks({ body: undefined, parts }) as Buffer[];
    expect(Buffer.concat(chunks).toString()).toBe(parts.join(''));
    expect(responseChunks({ body: undefined, parts: ['<a/>'] })).toBe('<a/>');
  });

  it('are small, also for a large item or body, and keep characters whole for the reader', () => {
    const large = 'ü€😀'.repeat(CHUNK_BYTES);
    for (const body of [{ items: [1, large, { large }], pageDetails: { count: 3 } }, { item: large }]) {
      const chunks = responseChunks({ body }) as Buffer[];
      expect(Math.max(...chunks.map(({ length }) => length))).toBe(CHUNK_BYTES);
      expect(textOf(body)).toBe(JSON.stringify(body));
    }
  });
});

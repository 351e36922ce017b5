import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { countJsonValues } from './json-shape.ts';
import type { LongList } from './long-lists.ts';
import { parseJson } from './parse-json.ts';

const MIB = 1024 * 1024;

/** Parses as a request does. */
async function parse(json: string, yieldToOthers = async (): Promise<void> => undefined): Promise<unknown> {
  const [bytes, lists]: [Buffer, LongList[]] = [Buffer.from(json), []];
  countJsonValues(bytes, 16 * MIB, [], lists);
  return parseJson(bytes, lists, yieldToOthers);
}

/** A list of a thousand events, each with this many values. */
const events = (values: number) =>
  Array.from({ length: 1_000 }, (_, id) => ({
    id,
    fields: Object.fromEntries(Array.from({ length: values }, (__, nth) => [`näme${id}-${nth}`, nth])),
  }));

describe('parseJson', () => {
  it('lets others run every ten thousand values of a body of distinct names', async () => {
    const body = { before: 1, events: events(300), after: [1, 2], more: events(50) };
    const yieldToOthers = jest.fn(async () => undefined);
    await expect(parse(JSON.stringify(body, undefined, 1), yieldToOthers)).resolves.toEqual(body);
    expect(yieldToOthers.mock.calls.length).toBeGreaterThan(30);
    await expect(parse(JSON.stringify(events(100)))).resolves.toEqual(events(100));
  });

  it('reads what JSON.parse reads, wherever a list is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }), { minLength: 1 }),
        fc.boolean(),
        fc.infiniteStream(fc.boolean()),
        async (items, isWhole, isCut) => {
          const texts = items.map((item) => JSON.stringify(item));
          const [start, end] = isWhole ? ['[', ']'] : ['{"__proto__":[1],"a":["x"],"b":[', '],"a":[2],"c":{}}'];
          const commas: number[] = [];
          let at = Buffer.byteLength(start);
          for (const text of texts.slice(0, -1)) {
            at += Buffer.byteLength(text);
            if (isCut.next().value === true) commas.push(at);
            at += 1;
          }
          const bytes = Buffer.from(`${start}${texts.join(',')}${end}`);
          const list = { from: Buffer.byteLength(start), to: bytes.length - Buffer.byteLength(end), commas };
          expect(await parseJson(bytes, [list])).toEqual(JSON.parse(bytes.toString()));
        },
      ),
    );
  });

  it.each([
    ['an item', (json: string) => json.replace('"id":700', '"id":70x')],
    ['two commas', (json: string) => json.replaceAll('},{', '},,{')],
    ['a comma at the end', (json: string) => json.replace('}}]', '}},]')],
    ['the rest', (json: string) => json.replace('"after"', 'after')],
    ['the end', (json: string) => json.slice(0, -1)],
  ])('refuses what is wrong in %s of a large body', async (_, broken) => {
    const json = broken(JSON.stringify({ events: events(30), after: 1 }));
    await expect(parse(json)).rejects.toMatchObject({ kind: 'invalid', message: 'The body must be valid JSON.' });
  });

  it('refuses more values than are parsed at once, in one item and outside of lists', async () => {
    const deep = (lists: number) => Array.from({ length: lists }, () => Array.from({ length: 1_000 }, () => 1));
    await expect(parse(JSON.stringify({ events: [1, deep(90), deep(90)] }))).resolves.toBeDefined();
    for (const body of [{ events: [1, deep(110)] }, { a: { b: deep(110) } }]) {
      await expect(parse(JSON.stringify(body))).rejects.toMatchObject({
        kind: 'invalid',
        details: [{ code: 'tooLarge' }],
      });
    }
  });
});

import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { countJsonValues } from './json-shape.ts';

const MIB = 1024 * 1024;
const count = (json: string, maxBytes = 16 * MIB) => countJsonValues(Buffer.from(json), maxBytes);
const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

describe('countJsonValues', () => {
  it.each([
    ['1', 1],
    ['"[{,"', 1],
    ['[1,2,3]', 4],
    ['{"a":[1,2],"b":"x, y"}', 5],
    [String.raw`["\"[,", "\\", "]"]`, 4],
    ['["ü[,","😀"]', 3],
  ])('counts the values of %s as %i', (json, values) => {
    expect(count(json)).toBe(values);
  });

  it('counts about as many as parsing makes, for any texts and keys', () => {
    const values = (parsed: unknown): number =>
      typeof parsed === 'object' && parsed !== null
        ? Object.values(parsed).reduce<number>((sum, one) => sum + values(one), 1)
        : 1;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), fc.nat(2), (value, indent) => {
        const json = JSON.stringify(value, undefined, indent);
        // One more for everything that is empty.
        expect(count(json)).toBeGreaterThanOrEqual(values(JSON.parse(json)));
        expect(count(json)).toBeLessThanOrEqual(2 * values(JSON.parse(json)));
      }),
      { numRuns: 40 },
    );
  });

  it('accepts 64 levels, any number of times, and refuses 65', () => {
    expect(count(`[${Array.from({ length: 100 }, () => nested(62)).join(',')}]`)).toBeGreaterThan(6000);
    expect(count(nested(64))).toBe(65);
    expect(() => count(`[${nested(64)}]`)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: 'The body must be nested 64 levels deep at most.' }),
    );
  });

  it('accepts one value for each 8 bytes that a body may have, and ten thousand in any body', () => {
    const list = (items: readonly string[]) => `[${items.join(',')}]`;
    const ones = (length: number) => Array.from({ length }, () => '1');
    const many = (values: number) =>
      list([...ones((values - 1) / 1000).map(() => list(ones(999))), ...ones((values - 1) % 1000)]);
    expect(count(many(131_072), MIB)).toBe(131_072);
    expect(() => count(many(131_073), MIB)).toThrow(
      expect.objectContaining({ kind: 'invalid', message: 'The body must have 131072 values at most.' }),
    );
    expect(count(many(10_000), 1024)).toBe(10_000);
    expect(() => count(many(10_001), 1024)).toThrow('at most');
  });

  it.each(['{},', '[],', '"",', '1,', '"a":1,'])(
    'looks at no more than 2,000 of the members of a body that is made of %s',
    (piece) => {
      const wide = (members: number) => Buffer.from(`[[],{${piece.repeat(members - 1)}${piece.slice(0, -1)}}]`);
      expect(countJsonValues(wide(2_000), 16 * MIB)).toBeGreaterThanOrEqual(2_000);
      const body = Buffer.concat([wide(2_001), Buffer.alloc(16 * MIB - 20_000, piece)]);
      const read = jest.fn();
      const counted = new Proxy(body, {
        get(target, key: string) {
          read();
          return Reflect.get(target, key) as unknown;
        },
      });
      const message = 'An object or list of the body must have 2000 names or items at most.';
      expect(() => countJsonValues(counted, 16 * MIB)).toThrow(expect.objectContaining({ kind: 'invalid', message }));
      expect(read.mock.calls.length).toBeLessThan(30_000);
    },
  );

  it('accepts a thousand events with all fields and 300 user-defined ones, each of them changed', () => {
    const fields = Array.from({ length: 91 }, (_, nth) => `configuration${nth}`);
    const udfs = Array.from({ length: 300 }, (_, nth) => `udf${nth}`);
    const event = {
      entityType: 'InstalledProduct',
      action: 'Update',
      id: 1,
      fields: Object.fromEntries(fields.map((name) => [name, 1])),
      userDefinedFields: udfs.map((name) => ({ name, value: 1 })),
      changedFields: [...fields, ...udfs],
    };
    const json = JSON.stringify({ events: Array.from({ length: 1_000 }, () => event) });
    expect(json.length).toBeLessThan(16 * MIB);
    expect(count(json)).toBeGreaterThan(1_000_000);
  });

  it('leaves what is no JSON to the parser', () => {
    for (const broken of ['"never ends', '"ends with \\', ']]]]', '[[', '{"a":', '']) {
      expect(() => count(broken)).not.toThrow();
    }
  });
});

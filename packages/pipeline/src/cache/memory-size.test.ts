import { createSecretKey } from 'node:crypto';
import { serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import * as fc from 'fast-check';
import { compileConditionText } from '../match/load.ts';
import { memorySize } from './memory-size.ts';

describe('the memory of a value', () => {
  it('is no less than the bytes that V8 writes for it', () => {
    const part = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.uint16Array(), fc.boolean());
    const value = fc.oneof(
      fc.array(part),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), part),
      fc.array(part).map((parts) => new Set(parts)),
      fc.array(fc.tuple(fc.string(), part)).map((parts) => new Map(parts)),
    );
    fc.assert(
      fc.property(fc.array(value), (values) => {
        expect(memorySize(values)).toBeGreaterThanOrEqual(serialize(values).byteLength - 64);
      }),
    );
  });

  it('counts what is referred to twice once', () => {
    const long = { text: 'x'.repeat(10_000) };
    expect(memorySize([long, long])).toBeLessThan(memorySize([long]) + 100);
    expect(memorySize(long)).toBeGreaterThan(20_000);
  });

  it('counts tables of numbers, and something for keys', () => {
    expect(memorySize(new Uint16Array(50_000))).toBeGreaterThan(100_000);
    expect(memorySize(createSecretKey(Buffer.alloc(32)))).toBeGreaterThan(1_000);
  });

  it('counts the tables in which a condition looks for texts', async () => {
    const entity = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir)).byEntityType('Account');
    const items = Array.from({ length: 50 }, (_, nth) => {
      return { op: 'contains', field: 'companyName', value: String.fromCharCode(97 + nth).repeat(250) };
    });
    const condition = entity && compileConditionText(JSON.stringify({ op: 'or', items }), entity, []);
    // A node for each character, of four numbers of 16 bits.
    expect(memorySize(condition)).toBeGreaterThan(4 * 2 * 50 * 250 + 2 * 50 * 250);
  });
});

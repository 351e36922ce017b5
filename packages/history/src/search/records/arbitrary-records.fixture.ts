import type { FieldValue, FieldValues } from '@callout/domain/values/values';
import * as fc from 'fast-check';

const text = fc.constantFrom('', 'Acme', 'aCME', 'ÉCOLE', 'école', 'ΟΔΟΣ', 'οδος', '%', '_', "';--", '\\', '"', '😀');
const pools: Readonly<Record<string, fc.Arbitrary<FieldValue>>> = {
  companyName: text,
  phone: fc.oneof(
    text,
    fc.constantFrom('\uffff', '\ue000', 'a\ufffd', 'K', 'İ', '5', 'true', 'null', '{}'),
    fc.string({ unit: fc.constantFrom('a', 'A', 'é', 'É', '\ud83d\ude00'), maxLength: 3 }),
  ),
  companyType: fc.integer({ min: -3, max: 12 }).map(String),
  assetValue: fc.constantFrom('0', '0.1', '-0.05', '1000', '10.5', '12345678901234567890.5', '9', 'not a number'),
  isActive: fc.constantFrom('true', 'false'),
  createDate: fc.constantFrom(
    '2025-09-15T15:10:00Z',
    '2025-09-15T15:09:59Z',
    '0001-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z',
  ),
};

/** A record of the collection `companies`, in wire form; a field may be null or absent. */
export interface ArbitraryRecord {
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
}

const udfPools = { 3: fc.integer({ min: 1, max: 4 }).map(String), 4: text };

export const arbitraryRecord: fc.Arbitrary<ArbitraryRecord> = fc.record({
  fields: someOf(pools),
  udfFields: someOf(udfPools),
});

function someOf(values: Readonly<Record<string, fc.Arbitrary<FieldValue>>>): fc.Arbitrary<FieldValues> {
  const entries = Object.entries(values).map(([name, value]) => [name, fc.option(value, { freq: 5 })] as const);
  return fc.record(Object.fromEntries(entries), { requiredKeys: [] }) as fc.Arbitrary<FieldValues>;
}

import * as fc from 'fast-check';
import { defineCollection, type QueryableCollection, type QueryableField, type QueryableUdf } from '../collection.ts';
import { arbitraryBodyOf } from './arbitrary-body.ts';

const fields: readonly QueryableField[] = [
  { name: 'id', dataType: 'long' },
  { name: 'companyName', dataType: 'string' },
  { name: 'phone', dataType: 'string' },
  { name: 'companyType', dataType: 'integer' },
  { name: 'assetValue', dataType: 'double' },
  { name: 'isActive', dataType: 'boolean' },
  { name: 'createDate', dataType: 'datetime' },
  { name: 'secretKey', dataType: 'string', isQueryable: false },
];

const udfs: readonly (QueryableUdf & { readonly label: string })[] = [
  { id: 3, name: 'Tier', label: 'Service Tier', dataType: 'list' },
  { id: 4, name: 'Region', label: 'Sales Region', dataType: 'string' },
];

/** A collection with a field of each type and two user-defined fields, for tests. */
export const companies: QueryableCollection = {
  ...defineCollection('Companies', fields),
  udfByName: (name) =>
    udfs.find((udf) => [udf.name, udf.label].some((one) => one.toLowerCase() === name.toLowerCase())),
};

const names = fc.constantFrom(
  '',
  'Acme',
  'ACME',
  'École',
  'ΟΔΟΣ',
  '%',
  '_',
  "';--",
  '\\',
  '"',
  '😀',
  '\uffff',
  '\ue000',
);
const phones = fc.string({ unit: fc.constantFrom('a', 'A', 'é', 'É', '\ud83d\ude00'), maxLength: 3 });

/** Valid queries of `companies`, with few values, so that they often meet. */
export const arbitraryCompanyQuery = arbitraryBodyOf({
  id: { dataType: 'long', values: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom('7', '12')) },
  companyName: { dataType: 'string', values: names },
  phone: { dataType: 'string', values: fc.oneof(names, phones) },
  companyType: {
    dataType: 'integer',
    values: fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom('5', '5.0')),
  },
  assetValue: {
    dataType: 'double',
    values: fc.oneof(fc.constantFrom('0.1', '-0.05', '1e3', 10.5, '12345678901234567890.5'), fc.integer()),
  },
  isActive: { dataType: 'boolean', values: fc.constantFrom(true, false, 'True') },
  createDate: {
    dataType: 'datetime',
    values: fc.constantFrom('2025-09-15T15:10:00Z', '2025-09-15T17:10:00+02:00', '0001-01-01', '9999-12-31T23:59:59Z'),
  },
  Tier: { dataType: 'list', values: fc.integer({ min: 1, max: 4 }), isUdf: true },
});

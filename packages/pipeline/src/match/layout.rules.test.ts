import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { anyCharacter } from '@callout/domain/fixtures/any-character';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import type { Subscription } from './match.rules.ts';
import { calloutBody } from '@callout/domain/callout/callout-body';
import { referenceFields, shownValues, type PayloadInput, type PayloadLayout } from '@callout/domain/callout/payload';
import { layoutOf, storedLayoutOf } from './layout.rules.ts';
import { noPreviousValues } from '@callout/domain/previous-values';
import { emptyFieldValues, type FieldValues } from '@callout/domain/values/values';

const [account] = buildCatalogue([
  JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8')),
]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const subscription: Subscription = {
  webhookKey: 1,
  webhookId: 1,
  webhookGuid: 'guid',
  version: 1,
  isActive: true,
  activatedAt: new Date(0),
  onCreate: true,
  onUpdate: true,
  onDelete: true,
  fields: [
    { name: 'phone', isSubscribed: true, isDisplayAlways: false },
    { name: 'companyName', isSubscribed: true, isDisplayAlways: true },
    { name: 'city', isSubscribed: false, isDisplayAlways: true },
    { name: 'fax', isSubscribed: false, isDisplayAlways: false },
  ],
  udfFields: [
    { udfId: 4, label: 'Region of sales', isSubscribed: true, isDisplayAlways: false },
    { udfId: 5, label: '__proto__', isSubscribed: false, isDisplayAlways: true },
  ],
  excludedResourceIds: [],
};

const values = (entries: FieldValues): FieldValues => Object.assign(emptyFieldValues(), entries);

const input: PayloadInput = {
  action: 'Create',
  fields: values({ phone: '1', companyName: 'Acme', city: null, fax: '2', webAddress: 'x' }),
  udfFields: values({ 4: 'North', 5: 'odd', 6: 'other' }),
  changedFields: [],
  changedUdfs: [],
  previous: noPreviousValues,
};

const payloadFields = (event: PayloadInput, layout: PayloadLayout) => referenceFields(shownValues(event, layout));

const shown = (change: Partial<PayloadInput>): [string, string | null][] =>
  Object.entries(payloadFields({ ...input, ...change }, layoutOf(subscription, account)));

describe('the fields of a callout', () => {
  it('contains subscribed and display-always fields of a new record, system fields first', () => {
    expect(shown({})).toEqual([
      ['Phone', '1'],
      ['CompanyName', 'Acme'],
      ['City', null],
      ['Region of sales', 'North'],
      ['__proto__', 'odd'],
    ]);
  });

  it('contains changed subscribed fields and all display-always fields of an update', () => {
    expect(shown({ action: 'Update', changedFields: ['fax', 'phone'] })).toEqual([
      ['Phone', '1'],
      ['CompanyName', 'Acme'],
      ['City', null],
      ['__proto__', 'odd'],
    ]);
    expect(shown({ action: 'Update', changedUdfs: [4, 6] })).toEqual([
      ['CompanyName', 'Acme'],
      ['City', null],
      ['Region of sales', 'North'],
      ['__proto__', 'odd'],
    ]);
  });

  it('is empty for a deleted record', () => {
    expect(shown({ action: 'Delete', changedFields: ['phone'] })).toEqual([]);
  });

  it('leaves out values that were never given and keeps those known to be empty', () => {
    expect(shown({ fields: values({ city: null }), udfFields: values({}) })).toEqual([['City', null]]);
  });

  it('does not treat an inherited property as a value', () => {
    const odd = { ...subscription, fields: [], udfFields: [{ ...subscription.udfFields[1], udfId: 'constructor' }] };
    const result = payloadFields({ ...input, udfFields: {} }, layoutOf(odd as unknown as Subscription, account));
    expect(Object.keys(result)).toEqual([]);
    expect(Object.getPrototypeOf(result)).toBeNull();
  });

  it('skips a field that is not in the catalogue', () => {
    const odd = {
      ...subscription,
      fields: [{ name: 'gone', isSubscribed: true, isDisplayAlways: true }],
      udfFields: [],
    };
    expect(Object.keys(payloadFields({ ...input, fields: values({ gone: '1' }) }, layoutOf(odd, account)))).toEqual([]);
  });

  it('is the same with a layout that was stored', () => {
    const { json, layout } = storedLayoutOf(subscription, account);
    const read = JSON.parse(json) as typeof layout;
    fc.assert(
      fc.property(
        fc.constantFrom('Create', 'Update', 'Delete'),
        fc.subarray(['phone', 'companyName', 'city', 'fax']),
        fc.subarray([4, 5, 6]),
        (action, changedFields, changedUdfs) => {
          const one = { ...input, action, changedFields, changedUdfs };
          expect(JSON.stringify(payloadFields(one, read))).toBe(JSON.stringify(payloadFields(one, layout)));
        },
      ),
    );
  });

  it('has another layout after each change of what it shows', () => {
    const renamed = subscription.udfFields.map((udf) => ({ ...udf, label: `${udf.label}!` }));
    const ids = [subscription, { ...subscription, version: 2 }, { ...subscription, udfFields: renamed }].map(
      (one) => storedLayoutOf(one, account).id,
    );
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('has the layout that it always had where the webhook asks for no format and no previous values', () => {
    const payload = { format: 'reference', includePreviousValues: false, place: null } as const;
    const udfFields = subscription.udfFields.map((udf) => ({ ...udf, dataType: 'string' as const, listValues: null }));
    expect(storedLayoutOf({ ...subscription, payload, udfFields }, account)).toEqual(
      storedLayoutOf(subscription, account),
    );
  });
});

describe('calloutBody', () => {
  const envelope = {
    action: 'Update',
    webhookGuid: '7f3c4b52-6d1e-4d6e-9a67-2f4f2c5f9a11',
    entityType: 'Account',
    recordId: 174,
    eventTime: new Date('2025-09-15T15:10:00.999Z'),
    sequenceNumber: 12,
    personId: 30,
  } as const;

  it('is compact JSON in the documented order, times truncated to seconds', () => {
    expect(calloutBody(envelope, values({ CompanyName: 'Acme "& Co"', City: null }))).toBe(
      '{"Action":"Update","Guid":"7f3c4b52-6d1e-4d6e-9a67-2f4f2c5f9a11","EntityType":"Account","Id":174,' +
        '"Fields":{"CompanyName":"Acme \\"& Co\\"","City":null},"EventTime":"2025-09-15T15:10:00Z","SequenceNumber":12,"PersonID":30}',
    );
  });

  it('has no fields and no person for an automatic deactivation', () => {
    const body = calloutBody({ ...envelope, action: 'Deactivated', recordId: 7, personId: null }, values({}));
    expect(body).toContain('{"Action":"Deactivated",');
    expect(body).toContain('"Id":7,"Fields":{},');
    expect(body.endsWith('"PersonID":null}')).toBe(true);
  });

  it('contains any label and any text, and is always valid UTF-8', () => {
    const anyText = fc.string({ unit: anyCharacter, maxLength: 50 });
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(anyText, fc.constantFrom('__proto__', 'toJSON', '0')), fc.option(anyText)),
        (entries) => {
          const fields = emptyFieldValues();
          for (const [label, value] of Object.entries(entries)) fields[label] = value;
          const body = calloutBody(envelope, fields);
          const parsed = JSON.parse(Buffer.from(body, 'utf8').toString('utf8')) as { Fields: FieldValues };
          expect(Object.entries(parsed.Fields)).toEqual(Object.entries(fields));
          expect(body).not.toMatch(/[\n\r]/u);
        },
      ),
    );
    expect(calloutBody(envelope, values({ Odd: '\ud800' }))).toContain('"Odd":"\\ud800"');
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import type { Action } from '@callout/domain/event';
import { recordOfCallouts, type SentCallout } from './sent-values.rules.ts';

const [account] = buildCatalogue([
  JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8')),
]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const udfs = [
  { id: 4, label: 'Region of sales' },
  { id: 5, label: '__proto__' },
];
const callout = (action: Action, fields?: Record<string, unknown>): SentCallout => ({
  action,
  body: JSON.stringify({ Action: action, Id: 7, ...(fields && { Fields: fields }) }),
});
const recordOf = (...callouts: SentCallout[]) => {
  const { fields, udfFields, isDeleted } = recordOfCallouts(callouts, account, udfs);
  return { fields: { ...fields }, udfFields: Object.entries(udfFields), isDeleted };
};

describe('a record as the callouts of a webhook have shown it', () => {
  it('has the values of their bodies, later ones replacing earlier ones', () => {
    expect(
      recordOf(
        callout('Update', { CompanyName: 'Acme', City: 'Oslo', 'Region of sales': 'North' }),
        callout('Update', { City: null }),
      ),
    ).toEqual({ fields: { companyName: 'Acme', city: null }, udfFields: [['4', 'North']], isDeleted: false });
  });

  it('is the same whichever format they have', () => {
    const data = {
      action: 'Update',
      fields: {
        companyName: 'Acme',
        companyType: { value: 3, label: null },
        assetValue: 0.1,
        isActive: true,
        fax: null,
      },
      userDefinedFields: { 'Region of sales': { value: 7, label: 'North' } },
    };
    const known = {
      fields: { companyName: 'Acme', companyType: '3', assetValue: '0.1', isActive: 'true', fax: null },
      udfFields: [['4', '7']],
      isDeleted: false,
    };
    expect(recordOf({ action: 'Update', body: JSON.stringify(data) })).toEqual(known);
    expect(recordOf({ action: 'Update', body: JSON.stringify({ specversion: '1.0', data }) })).toEqual(known);
  });

  it('is unseen without a callout', () => {
    expect(recordOfCallouts([], account, udfs)).toMatchObject({ version: 0, isDeleted: false });
  });

  it('starts again with a Create, and is deleted after a Delete', () => {
    expect(recordOf(callout('Update', { City: 'Oslo' }), callout('Create', { Phone: '1' }))).toEqual({
      fields: { phone: '1' },
      udfFields: [],
      isDeleted: false,
    });
    expect(recordOf(callout('Update', { City: 'Oslo' }), callout('Delete', {})).isDeleted).toBe(true);
  });

  it('leaves out labels that no field has any more, and no other names', () => {
    const body = '{"Fields":{"Old label":"x","__proto__":"odd"}}';
    expect(recordOf({ action: 'Update', body }, callout('Update'))).toEqual({
      fields: {},
      udfFields: [['5', 'odd']],
      isDeleted: false,
    });
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { parseWebhookCreate } from './webhook-input.ts';
import { messagesOf, problemOf, requiredKeys as required, webhookContext } from './webhook-input.fixture.ts';

const companies: unknown = JSON.parse(readFileSync(path.join(ownCatalogueDir, 'companies.json'), 'utf8'));
const [account] = buildCatalogue([companies]).entities;
if (account === undefined) throw new Error('The catalogue has no companies');

const context = webhookContext(account);

const create = (change: Record<string, unknown>) => parseWebhookCreate({ ...required, ...change }, context);

describe('children in a create', () => {
  it('refers to fields by id or by name, to user-defined ones by id, name or label', () => {
    const children = {
      Fields: [
        { FieldID: '2', IsSubscribedField: 'true' },
        { field: 'POSTALCODE', isDisplayAlwaysField: true },
        { fieldID: 3, field: 'companyNumber', webhookID: 99 },
      ],
      udfFields: [{ udfFieldID: 4, isSubscribedField: true }, { udfField: 'TIER' }],
      excludedResources: [{ resourceID: '12' }, { ResourceID: 13 }],
    };
    expect(create(children)).toMatchObject({
      fields: [
        { fieldId: 2, name: 'companyName', isSubscribed: true, isDisplayAlways: false },
        { fieldId: 13, name: 'postalCode', isSubscribed: false, isDisplayAlways: true },
        { fieldId: 3, name: 'companyNumber', isSubscribed: false, isDisplayAlways: false },
      ],
      udfFields: [
        { udfFieldId: 4, isSubscribed: true, isDisplayAlways: false },
        { udfFieldId: 5, isSubscribed: false, isDisplayAlways: false },
      ],
      excludedResources: [{ resourceId: 12 }, { resourceId: 13 }],
    });
    expect(create({ udfFields: [{ name: 'region of SALES' }] }).udfFields).toHaveLength(1);
  });

  it.each([
    [
      { fieldID: 1 },
      'fields[0].fieldID names id, which is not supported in webhooks: GET /CompanyWebhookFields/entityInformation/fields lists the fields that are',
    ],
    [
      { field: 'id' },
      'fields[0].field names id, which is not supported in webhooks: GET /CompanyWebhookFields/entityInformation/fields lists the fields that are',
    ],
    [
      { field: 'nothing' },
      'fields[0].field nothing is no field of Account: GET /CompanyWebhookFields/entityInformation/fields lists them',
    ],
    [{ field: 'phon' }, 'fields[0].field phon is no field of Account: did you mean phone?'],
    [{ fieldID: 2, field: 'postalCode' }, 'fields[0].fieldID and the name beside it are different fields'],
    [{ fieldID: 'companyName' }, 'fields[0].fieldID must be a positive integer below 2^53'],
    [{ fieldID: 0 }, 'fields[0].fieldID must be a positive integer below 2^53'],
    [{ fieldID: '9007199254740993' }, 'fields[0].fieldID must be a positive integer below 2^53'],
    [{ fieldID: null }, 'fields[0].fieldID is required; a name goes into fields[0].field'],
    [{ name: 'phone' }, 'fields[0].fieldID is required; a name goes into fields[0].field'],
  ])('refuses %j', (field, message) => {
    expect(messagesOf(() => create({ fields: [field] }))).toEqual([message]);
  });

  it('refuses children named twice as a conflict', () => {
    const problem = problemOf(() =>
      create({
        fields: [{ fieldID: 2 }, { fieldID: 3 }, { field: 'companyName' }],
        excludedResources: [{ resourceID: 1 }, { resourceID: 1 }],
      }),
    );
    expect(problem.kind).toBe('conflict');
    expect(problem.details.map(({ message }) => message)).toEqual([
      'fields[2].fieldID is 2, as in fields[0]',
      'excludedResources[1].resourceID is 1, as in excludedResources[0]',
    ]);
  });

  it('accepts at most a thousand of a kind', () => {
    const excluded = (count: number) => ({
      excludedResources: Array.from({ length: count }, (_, nth) => ({ resourceID: nth + 1 })),
    });
    expect(create(excluded(1000)).excludedResources).toHaveLength(1000);
    expect(messagesOf(() => create(excluded(1001)))).toEqual([
      'excludedResources must be an array of 1000 objects or fewer',
    ]);
  });
});

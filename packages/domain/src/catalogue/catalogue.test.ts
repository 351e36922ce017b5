import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ownCatalogueDir } from './catalogue-dir.ts';
import { buildCatalogue } from './catalogue.ts';
import { toWireValue } from '../values/values.ts';

const files = readdirSync(ownCatalogueDir)
  .toSorted()
  .map((name) => JSON.parse(readFileSync(path.join(ownCatalogueDir, name), 'utf8')) as Record<string, unknown>);

const field = (fieldID: number, name: string) => ({
  fieldID,
  name,
  dataType: 'string',
  length: 10,
  isRequired: false,
  isReadOnly: false,
  isReference: false,
  referenceEntityType: '',
  isPickList: false,
  isSupportedWebhookField: true,
});

const entity = (change: Record<string, unknown> = {}) => ({
  collection: 'Gadgets',
  singular: 'Gadget',
  entityType: 'Gadget',
  webhookCollection: 'GadgetWebhooks',
  hasUserDefinedFields: false,
  supportsWebhookCallouts: true,
  fields: [field(2, 'label')],
  ...change,
});

const parent = (change: Record<string, unknown> = {}) => ({
  entityType: 'Gadget',
  field: 'label',
  segment: 'Parts',
  canWrite: true,
  ...change,
});

const resource = files.find((file) => (file as { entityType?: unknown }).entityType === 'Resource');

describe('the catalogue that is part of Callout', () => {
  const catalogue = buildCatalogue(files);

  it('has the watched entities, and resources without webhooks', () => {
    const named = (key: 'entityType' | 'webhookCollection') => catalogue.entities.map((one) => one[key]).toSorted();
    expect(named('entityType')).toEqual([
      'Account',
      'Contact',
      'InstalledProduct',
      'Resource',
      'Ticket',
      'TicketNote',
      'WebhookHealth',
    ]);
    expect(named('webhookCollection')).toEqual([
      '',
      'CompanyWebhooks',
      'ConfigurationItemWebhooks',
      'ContactWebhooks',
      'TicketNoteWebhooks',
      'TicketWebhooks',
      'WebhookHealthWebhooks',
    ]);
    expect(catalogue.byWebhookCollection('')).toBeUndefined();
  });

  it('finds entities and fields by every name, whatever the case', () => {
    const account = catalogue.byEntityType('Account');
    expect(account?.singular).toBe('Company');
    expect(catalogue.byEntityType('ACCOUNT')).toBe(account);
    expect(catalogue.byCollection('companies')).toBe(account);
    expect(catalogue.byWebhookCollection('companywebhooks')).toBe(account);
    expect(account?.fieldByID(13)?.name).toBe('postalCode');
    expect(account?.fieldByName('postalCode')).toBe(account?.fieldByID(13));
    expect(account?.fieldByName('POSTALCODE')).toBe(account?.fieldByID(13));
    expect(account?.fieldByName('postal')).toBeUndefined();
    expect(account?.fieldByName('__proto__')).toBeUndefined();
    expect(account?.fieldByID(0)).toBeUndefined();
    expect(catalogue.byEntityType('constructor')).toBeUndefined();
  });

  it('has payload keys in PascalCase', () => {
    expect(catalogue.byEntityType('Account')?.fieldByName('companyName')?.payloadKey).toBe('CompanyName');
    expect(catalogue.byEntityType('Ticket')?.fieldByName('companyID')?.payloadKey).toBe('CompanyID');
  });

  it('finds records under their parents', () => {
    const paths = catalogue.entities.flatMap(({ entityType, parents }) =>
      parents.map(
        (one) => `${entityType}: /${one.entity.collection}/{${one.field.name}}/${one.segment} ${one.canWrite}`,
      ),
    );
    expect(paths.toSorted()).toEqual([
      'Contact: /Companies/{companyID}/Contacts true',
      'InstalledProduct: /Companies/{companyID}/ConfigurationItems true',
      'Ticket: /Companies/{companyID}/Tickets false',
      'TicketNote: /Tickets/{ticketID}/Notes true',
    ]);
  });

  it('describes every field in its own sentence', () => {
    for (const { fields } of catalogue.entities) {
      for (const { name, description } of fields)
        expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/u)]);
      expect(new Set(fields.map(({ description }) => description)).size).toBe(fields.length);
    }
  });

  it('has values for every picklist, and takes integers beside them, since each product has its own', () => {
    const lists = catalogue.entities.filter((one) => !one.isReadOnly).flatMap(({ fields }) => fields);
    const picklists = lists.filter(({ isPickList }) => isPickList);
    expect(picklists.filter(({ picklistValues }) => picklistValues.length === 0).map(({ name }) => name)).toEqual([]);
    const status = catalogue.byEntityType('Ticket')?.fieldByName('status');
    expect(status && toWireValue(status, 4711)).toEqual({ ok: true, value: '4711' });
  });

  it('creates active companies, and numbers tickets', () => {
    const defaultOf = (type: string, name: string) => catalogue.byEntityType(type)?.fieldByName(name)?.default;
    expect(defaultOf('Account', 'isActive')).toEqual({ kind: 'value', value: 'true' });
    expect(defaultOf('Ticket', 'ticketNumber')).toEqual({ kind: 'dailyNumber', prefix: 'T' });
  });

  it('has a length for every text, and for nothing else', () => {
    const invalid = catalogue.entities.flatMap((one) =>
      one.fields.filter((field) => (field.dataType === 'string') !== field.length > 0).map((field) => field.name),
    );
    expect(invalid).toEqual([]);
  });
});

describe('buildCatalogue', () => {
  it('accepts a sixth entity as another file', () => {
    const catalogue = buildCatalogue([...files, entity()]);
    expect(catalogue.byWebhookCollection('gadgetwebhooks')?.fieldByName('LABEL')?.payloadKey).toBe('Label');
  });

  it('gives picklist values the shape of metadata', () => {
    const fields = [{ ...field(2, 'state'), picklistValues: [{ value: '1', label: 'New' }] }];
    expect(buildCatalogue([entity({ fields })]).entities[0]?.fields[1]?.picklistValues).toEqual([
      {
        value: '1',
        label: 'New',
        isDefaultValue: false,
        sortOrder: 0,
        parentValue: '',
        isActive: true,
        isSystem: true,
      },
    ]);
  });

  it('marks the default among the values of a picklist', () => {
    const values = ['1', '2'].map((value) => ({ value, label: `Label ${value}` }));
    const fields = [
      { ...field(2, 'state'), dataType: 'integer', isPickList: true, picklistValues: values, default: 2 },
    ];
    const [, state] = buildCatalogue([entity({ fields })]).entities[0]?.fields ?? [];
    expect(state?.default).toEqual({ kind: 'value', value: '2' });
    expect(state?.picklistValues.map(({ isDefaultValue }) => isDefaultValue)).toEqual([false, true]);
  });

  it.each([
    ['of a required field', { isRequired: true, default: 'x' }, /default label is required/u],
    [
      'of another type',
      { dataType: 'integer', default: 'x' },
      /label has an unusable default: label must be an integer/u,
    ],
    ['that is too long', { default: 'elevenchars' }, /label must be 10 characters or fewer/u],
    [
      'of numbers that do not fit',
      { default: { dailyNumber: 'T' } },
      /label must be a text of at least 17 characters/u,
    ],
    ['of numbers in a number', { dataType: 'long', default: { dailyNumber: 'T' } }, /label must be a text of/u],
  ])('refuses a default %s', (_, change, expected) => {
    expect(() => buildCatalogue([entity({ fields: [{ ...field(2, 'label'), ...change }] })])).toThrow(expected);
  });

  it('lists every problem of every file at once', () => {
    const broken = [entity({ fields: [{ ...field(2, 'label'), dataType: 'float' }] }), entity({ collection: '' })];
    expect(() => buildCatalogue(broken)).toThrow(/file 1: fields\.0\.dataType .*\n.*file 2: collection /u);
  });

  it.each([
    [
      'a fieldID used twice',
      [entity({ fields: [field(2, 'a'), field(2, 'b')] })],
      /fieldID 2 is that of a: each field needs its own/u,
    ],
    [
      'names that differ by case only',
      [entity({ fields: [field(2, 'aB'), field(3, 'ab')] })],
      /name ab is that of another field/u,
    ],
    ['a name that is not camelCase', [entity({ fields: [field(2, '__proto__')] })], /must be a camelCase name/u],
    ['an entity given twice', [entity(), entity()], /entityType Gadget is defined twice/u],
    ['callouts without a collection', [entity({ webhookCollection: '' })], /must name the collection of webhooks/u],
    [
      'a parent that is no entity',
      [entity({ parents: [parent({ entityType: 'Thing' })] })],
      /Thing is no entity of the catalogue/u,
    ],
    [
      'a parent named by no field',
      [entity({ parents: [parent({ field: 'thingID' })] })],
      /thingID is no field of Gadget/u,
    ],
    [
      'a parent without callouts',
      [resource, entity({ parents: [parent({ entityType: 'Resource' })] })],
      /both entities need supportsWebhookCallouts/u,
    ],
    ['a path that is taken', [entity({ parents: [parent({ segment: 'Query' })] })], /Query is a path of the API/u],
    ['a path given twice', [entity({ parents: [parent(), parent({ segment: 'PARTS' })] })], /PARTS twice/u],
    ['a file that is no object', ['text'], /file 1: /u],
  ])('refuses %s', (_, broken, expected) => {
    expect(() => buildCatalogue(broken)).toThrow(expected);
  });
});

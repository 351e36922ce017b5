import { describe, expect, it } from '@jest/globals';
import { buildCatalogue } from './catalogue.ts';
import { diffCatalogues } from './diff-catalogues.rules.ts';

type FieldOfFile = Record<string, unknown> & { name: string };

const order = (fields: readonly FieldOfFile[], change: object = {}) => ({
  entityType: 'Order',
  fields: fields.map((field) => ({ dataType: 'string', ...field })),
  ...change,
});

/** Effect and field of each change, after the entity's fields or properties have changed. */
const effectsOf = (before: object, after: object | null) =>
  diffCatalogues(buildCatalogue([before]), buildCatalogue(after === null ? [] : [after])).map(
    ({ effect, fieldID }) => [effect, fieldID] as const,
  );

describe('a change of the catalogue', () => {
  const status = { name: 'status', fieldID: 2 };
  const total = { name: 'total', fieldID: 3 };
  const list = (...values: string[]) => ({
    ...status,
    dataType: 'integer',
    picklistValues: values.map((value) => ({ value, label: `Label ${value}` })),
  });
  const withOne = (change: object) => order([{ ...status, ...change }]);

  it.each([
    ['none', order([status]), order([status]), []],
    ['a new field', order([status]), order([status, total]), [['allowed', 3]]],
    ['a field that goes', order([status, total]), order([status]), [['loss', 3]]],
    ['a new name of a field', order([status]), order([{ ...status, name: 'state' }]), [['loss', 2]]],
    ['another fieldID', order([status]), order([{ ...status, fieldID: 9 }]), [['refused', 2]]],
    [
      'two fields that change places in a file without fieldIDs',
      order([{ name: 'status' }, { name: 'total' }]),
      order([{ name: 'total' }, { name: 'status' }]),
      [
        ['refused', 2],
        ['refused', 3],
      ],
    ],
    ['a wider type', withOne({ dataType: 'integer' }), withOne({ dataType: 'long' }), [['allowed', 2]]],
    ['another type', withOne({ dataType: 'integer' }), withOne({ dataType: 'string' }), [['refused', 2]]],
    ['a shorter text', withOne({ length: 20 }), withOne({ length: 10 }), [['loss', 2]]],
    ['a first limit of a text', withOne({}), withOne({ length: 10 }), [['loss', 2]]],
    ['a longer text', withOne({ length: 10 }), withOne({ length: 20 }), []],
    ['a required field', withOne({}), withOne({ isRequired: true }), [['allowed', 2]]],
    ['a field that webhooks no longer watch', withOne({}), withOne({ isSupportedWebhookField: false }), [['loss', 2]]],
    ['another name in SOAP', withOne({}), withOne({ soapName: 'State' }), [['loss', 2]]],
    ['a picklist value that goes', order([list('1', '2')]), order([list('1')]), [['loss', 2]]],
    ['another path', order([status]), order([status], { collection: 'PurchaseOrders' }), [['loss', null]]],
    ['no webhooks', order([status]), order([status], { supportsWebhookCallouts: false }), [['loss', null]]],
    ['no user-defined fields', order([status], { hasUserDefinedFields: true }), order([status]), [['loss', null]]],
    ['an entity that goes', order([status]), null, [['loss', null]]],
  ])('has an effect: %s', (_, before, after, expected) => {
    expect(effectsOf(before, after)).toEqual(expected);
  });

  it('has an effect: a new entity', () => {
    const changes = diffCatalogues(buildCatalogue([]), buildCatalogue([order([status])]));
    expect(changes).toEqual([{ effect: 'allowed', entityType: 'Order', fieldID: null, text: 'The entity is new.' }]);
  });

  it('names the field, and says what to do', () => {
    const [change] = diffCatalogues(
      buildCatalogue([order([status])]),
      buildCatalogue([order([{ ...status, fieldID: 9 }])]),
    );
    expect(change?.text).toBe('status has the fieldID 9 in place of 2, by which webhooks name it: give it 2 again.');
  });
});

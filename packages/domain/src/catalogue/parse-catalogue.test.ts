import { describe, expect, it } from '@jest/globals';
import { parseCatalogue } from './parse-catalogue.ts';

const problemsOf = (text: string): string[] => {
  try {
    parseCatalogue([{ name: 'orders.json', text }]);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
};

describe('a catalogue file', () => {
  it('needs the entity type and the fields with names and types; the rest has defaults', () => {
    const text = `{"entityType": "Order", "fields": [
      {"name": "status", "dataType": "string"},
      {"name": "total", "dataType": "decimal", "description": "The price of all lines."},
      {"name": "customerID", "dataType": "long", "referenceEntityType": "Customer"},
      {"name": "channel", "dataType": "integer", "picklistValues": [{"value": "1", "label": "Web"}]}
    ]}`;
    const { watched } = parseCatalogue([{ name: 'orders.json', text }]);
    const [order] = watched;
    expect(order).toMatchObject({
      singular: 'Order',
      collection: 'Orders',
      webhookCollection: 'OrderWebhooks',
      webhookSingular: 'OrderWebhook',
      hasUserDefinedFields: false,
      isReadOnly: false,
    });
    const rows = order?.fields.map((one) => [one.fieldID, one.name, one.isRequired, one.isSupportedWebhookField]);
    expect(rows).toEqual([
      [1, 'id', true, false],
      [2, 'status', false, true],
      [3, 'total', false, true],
      [4, 'customerID', false, true],
      [5, 'channel', false, true],
    ]);
    expect(order?.fieldByName('customerID')).toMatchObject({ isReference: true, description: 'Customer.' });
    expect(order?.fieldByName('channel')).toMatchObject({ isPickList: true });
  });

  it.each([
    ['Delivery', 'Deliveries'],
    ['Box', 'Boxes'],
    ['Branch', 'Branches'],
    ['Day', 'Days'],
  ])('has a collection in the plural: %s, %s', (entityType, collection) => {
    const file = { entityType, fields: [{ name: 'label', dataType: 'string' }] };
    const { entities } = parseCatalogue([{ name: 'a.json', text: JSON.stringify(file) }]);
    expect(entities.map((one) => one.collection)).toEqual([collection]);
  });

  it('is refused with the line of each problem', () => {
    const text = `{
  "entityType": "order",
  "fields": [
    {"name": "Total", "dataType": "money"},
    {"name": "state", "dataType": "string", "lenght": 20},
    {"name": "channel"}
  ]
}`;
    expect(problemsOf(text)).toEqual([
      'orders.json:2: entityType must be a name in PascalCase, such as OrderLine',
      'orders.json:4: fields.0.name must be a camelCase name, such as totalPrice',
      expect.stringMatching(/^orders\.json:4: fields\.0\.dataType .*"string"\|"integer"/u),
      expect.stringMatching(/^orders\.json:5: fields\.1 .*lenght/u),
      expect.stringMatching(/^orders\.json:6: fields\.2\.dataType /u),
    ]);
  });

  it('is refused with the line of what one file cannot know alone', () => {
    const text = `{
  "entityType": "Order",
  "parents": [
    {"entityType": "Shop", "field": "shopID", "segment": "Orders"}
  ],
  "fields": [
    {"name": "status", "dataType": "string"},
    {"name": "STATUS", "fieldID": 2, "dataType": "string"}
  ]
}`.replace('"STATUS"', '"stAtus"');
    expect(problemsOf(text)).toEqual([
      'orders.json:8: fields.1.fieldID 2 is that of status: each field needs its own',
      'orders.json:8: fields.1.name stAtus is that of another field: names ignore case',
      'orders.json:8: fields.1.soapName StAtus is that of another field: names ignore case',
      'orders.json:4: parents.0.entityType Shop is no entity of the catalogue',
    ]);
  });

  it('is refused with the line at which it stops being JSON', () => {
    expect(problemsOf('{\n  "entityType": "Order",\n  "fields": [,]\n}')).toEqual([
      'orders.json:3: is not JSON (unexpected token comma)',
    ]);
    expect(problemsOf('')).toEqual(['orders.json:1: is not JSON (unexpected end of input)']);
  });
});

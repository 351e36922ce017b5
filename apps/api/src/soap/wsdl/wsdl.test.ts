import { describe, expect, it } from '@jest/globals';
import { runTestApi } from '../../fixtures/run-test-api.ts';
import { createSoapEntities } from '../entities/soap-entities.ts';
import { ATWS, type XmlElement, XSD } from '../xml/xml-element.ts';
import { parseXml } from '../xml/parse-xml.ts';
import { soapOperations } from './operations.ts';
import { wsdlDocument } from './wsdl.ts';

const api = runTestApi();
const description = () => parseXml(wsdlDocument(createSoapEntities(api.catalogue).all, 'http://a'), 'It');

function all(element: XmlElement, name: string): XmlElement[] {
  const own = element.children.filter((child) => child.name === name);
  return [...own, ...element.children.flatMap((child) => all(child, name))];
}
const attribute = ({ attributes }: XmlElement, name: string) => attributes.find((one) => one.name === name)?.value;
const namesOf = (elements: readonly XmlElement[]) => elements.map((one) => attribute(one, 'name') ?? '');

describe('the description', () => {
  it('names everything once', () => {
    const root = description();
    const [schema] = all(root, 'schema');
    for (const parent of [root, schema, ...all(root, 'portType'), ...all(root, 'binding'), ...all(root, 'sequence')]) {
      const children = parent?.children ?? [];
      // Types have one space of names, whichever kind they are.
      const kindOf = ({ name }: XmlElement) => (parent === schema && name.endsWith('Type') ? 'type' : name);
      const names = children.map((child) => `${kindOf(child)} ${attribute(child, 'name') ?? ''}`);
      const given = names.filter((name) => !name.endsWith(' '));
      expect(given.toSorted()).toEqual([...new Set(given)].toSorted());
    }
  });

  it('resolves every name that it refers to', () => {
    const root = description();
    const [schema] = all(root, 'schema');
    const inSchema = (kinds: readonly string[]) =>
      namesOf((schema?.children ?? []).filter(({ name }) => kinds.includes(name)));
    const known: Record<string, ReadonlySet<string>> = {
      type: new Set([...inSchema(['complexType', 'simpleType']), ...namesOf(all(root, 'portType'))]),
      base: new Set(inSchema(['complexType', 'simpleType'])),
      element: new Set(inSchema(['element'])),
      message: new Set(namesOf(all(root, 'message'))),
      binding: new Set(namesOf(all(root, 'binding'))),
    };
    const builtIn = ['string', 'int', 'long', 'boolean'];
    const everything = (element: XmlElement): XmlElement[] => [element, ...element.children.flatMap(everything)];
    let references = 0;
    for (const element of everything(root)) {
      for (const { name, value } of element.attributes) {
        const names = known[name];
        if (names === undefined) continue;
        references += 1;
        const [prefix, local = ''] = value.split(':');
        expect([value, prefix === 'xsd' ? builtIn.includes(local) : prefix === 'tns' && names.has(local)]).toEqual([
          value,
          true,
        ]);
      }
    }
    expect(references).toBeGreaterThan(150);
  });

  it('is document/literal, each operation with an action of its own', () => {
    const root = description();
    const actions = all(root, 'operation').flatMap((one) => attribute(one, 'soapAction') ?? []);
    expect(new Set(actions).size).toBe(soapOperations.length);
    expect(actions).toHaveLength(2 * soapOperations.length);
    expect(actions.every((action) => action.startsWith(ATWS))).toBe(true);
    const uses = [...all(root, 'body'), ...all(root, 'header')].map((one) => attribute(one, 'use'));
    expect(new Set(uses)).toEqual(new Set(['literal']));
    expect(root.namespace).toBe('http://schemas.xmlsoap.org/wsdl/');
    expect(all(root, 'schema')[0]?.namespace).toBe(XSD);
  });

  it('has the twenty entities that can be written, and seven to read', () => {
    const entities = createSoapEntities(api.catalogue).all;
    const written = entities.filter((one) => one.isWritable).map(({ name }) => name);
    expect(written).toHaveLength(20);
    expect(entities.filter((one) => !one.isWritable).map(({ name }) => name)).toHaveLength(7);
    expect(namesOf(all(description(), 'complexType'))).toEqual(expect.arrayContaining(written));
  });

  it('knows fields by the names of this API', () => {
    const { byName } = createSoapEntities(api.catalogue);
    const named = (entity: string) => byName(entity)?.fields.map(({ soapName }) => soapName);
    expect(named('TicketWebhookUdfField')).toEqual([
      'id',
      'WebhookID',
      'UdfFieldID',
      'IsSubscribedField',
      'IsDisplayAlwaysField',
    ]);
    expect(named('Account')).toEqual(
      expect.arrayContaining(['AccountName', 'AccountType', 'ParentAccountID', 'SICCode']),
    );
    expect(named('Ticket')).toEqual(expect.arrayContaining(['AccountID', 'InstalledProductID', 'AllocationCodeID']));
  });
  it.each([
    [
      'AccountWebhook',
      'WebhookGUID Active Name WebhookUrl IsSubscribedToCreateEvents IsSubscribedToUpdateEvents ' +
        'IsSubscribedToDeleteEvents DeactivationUrl NotificationEmailAddress SendThresholdExceededNotification ' +
        'OwnerResourceID SecretKey Ready',
    ],
    [
      'InstalledProductWebhook',
      'DeactivationUrl Active Ready IsSubscribedToCreateEvents IsSubscribedToDeleteEvents IsSubscribedToUpdateEvents ' +
        'Name NotificationEmailAddress OwnerResourceID SecretKey SendThresholdExceededNotification WebhookGUID WebhookUrl',
    ],
    ['AccountWebhookField', 'WebhookID FieldID IsSubscribedField IsDisplayAlwaysField'],
    ['InstalledProductWebhookField', 'FieldID IsDisplayAlwaysField IsSubscribedField WebhookID'],
    ['WebhookEventErrorLog', 'AccountWebhookID ContactWebhookID SequenceNumber Payload ErrorMessage CreateDateTime'],
    [
      'EntityInfo',
      'Name CanUpdate CanDelete CanCreate CanQuery UserAccessForCreate UserAccessForQuery UserAccessForUpdate ' +
        'UserAccessForDelete HasUserDefinedFields SupportsWebhookCallouts',
    ],
  ])('begins %s with the fields of the live API, in its order', (type, live) => {
    const found = all(description(), 'complexType').find((one) => attribute(one, 'name') === type);
    const [sequence] = found === undefined ? [] : all(found, 'sequence');
    const names = namesOf(sequence?.children ?? []);
    expect(names.slice(0, live.split(' ').length).join(' ')).toBe(live);
  });
});

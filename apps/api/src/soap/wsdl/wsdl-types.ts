import type { SoapEntity } from '../entities/soap-entity.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import { ATWS } from '../xml/xml-element.ts';
import { soapOperations, type SoapOperation } from './operations.ts';
import { databaseActions, type Member, structTypes } from './struct-types.ts';

/** The only schema of the description, with every element and type. */
export function wsdlSchema(entities: readonly SoapEntity[]): XmlNode {
  return xml(
    'xsd:schema',
    { elementFormDefault: 'qualified', targetNamespace: ATWS },
    ...soapOperations.flatMap(wrappers),
    xml('xsd:element', { name: 'AutotaskIntegrations', type: 'tns:AutotaskIntegrations' }),
    ...Object.entries<readonly Member[]>(structTypes).map(([name, members]) =>
      xml('xsd:complexType', { name }, sequence(members)),
    ),
    xml(
      'xsd:simpleType',
      { name: 'EntityReturnInfoDatabaseAction' },
      xml(
        'xsd:restriction',
        { base: 'xsd:string' },
        ...databaseActions.map((value) => xml('xsd:enumeration', { value })),
      ),
    ),
    baseEntity,
    ...entities.map(entityType),
  );
}

/** The elements of a request and a response. */
function wrappers({ element, parameters, resultType }: SoapOperation): XmlNode[] {
  const wrapper = (name: string, members: readonly Member[]) =>
    xml('xsd:element', { name }, xml('xsd:complexType', {}, sequence(members)));
  return [
    wrapper(
      element,
      parameters.map(({ name, type }): Member => [name, type]),
    ),
    wrapper(`${element}Response`, [[`${element}Result`, resultType]]),
  ];
}

function sequence(members: readonly Member[]): XmlNode {
  return xml(
    'xsd:sequence',
    {},
    ...members.map(([name, type, options]) => {
      const occurs = { minOccurs: '0', maxOccurs: '1', ...options };
      return xml('xsd:element', { name, ...(type !== null && { type }), ...occurs });
    }),
  );
}

/** The common members of entities. The type is abstract: each entity names a type by `xsi:type`. */
const baseEntity = xml(
  'xsd:complexType',
  { name: 'Entity', abstract: 'true' },
  sequence([
    ['Fields', 'tns:ArrayOfField'],
    ['id', 'xsd:long', { minOccurs: '1' }],
    ['UserDefinedFields', 'tns:ArrayOfUserDefinedField'],
  ]),
);

/**
 * An entity. Fields may be of any type, as in the family of APIs: each value names the type by `xsi:type`, and
 * GetFieldInfo describes the fields.
 */
function entityType({ name, fields }: SoapEntity): XmlNode {
  const ownFields = fields.filter(({ soapName }) => soapName !== 'id');
  return xml(
    'xsd:complexType',
    { name },
    xml(
      'xsd:complexContent',
      {},
      xml('xsd:extension', { base: 'tns:Entity' }, sequence(ownFields.map(({ soapName }): Member => [soapName, null]))),
    ),
  );
}

import type { SoapEntity } from '../entities/soap-entity.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import { ATWS } from '../namespaces.ts';
import { soapOperations, type SoapOperation } from './operations.ts';

type Member = readonly [name: string, type: string | null, options?: Readonly<Record<string, string>>];

const required = { minOccurs: '1' };
const many = { maxOccurs: 'unbounded', nillable: 'true' };

/** The types that do not depend on the catalogue, each with its members. */
const types: Readonly<Record<string, readonly Member[]>> = {
  ArrayOfEntity: [['Entity', 'tns:Entity', many]],
  UserDefinedField: [
    ['Name', 'xsd:string'],
    ['Value', 'xsd:string'],
  ],
  ArrayOfUserDefinedField: [['UserDefinedField', 'tns:UserDefinedField', many]],
  Field: [
    ['Name', 'xsd:string'],
    ['Label', 'xsd:string'],
    ['Type', 'xsd:string'],
    ['Length', 'xsd:int', required],
    ['Description', 'xsd:string'],
    ['IsRequired', 'xsd:boolean', required],
    ['IsReadOnly', 'xsd:boolean', required],
    ['IsQueryable', 'xsd:boolean', required],
    ['IsReference', 'xsd:boolean', required],
    ['ReferenceEntityType', 'xsd:string'],
    ['IsPickList', 'xsd:boolean', required],
    ['PicklistValues', 'tns:ArrayOfPickListValue'],
    ['PicklistParentValueField', 'xsd:string'],
    ['DefaultValue', 'xsd:string'],
  ],
  ArrayOfField: [['Field', 'tns:Field', many]],
  PickListValue: [
    ['Value', 'xsd:string'],
    ['Label', 'xsd:string'],
    ['IsDefaultValue', 'xsd:boolean', required],
    ['SortOrder', 'xsd:int', required],
    ['parentValue', 'xsd:string'],
    ['IsActive', 'xsd:boolean'],
    ['IsSystem', 'xsd:boolean'],
  ],
  ArrayOfPickListValue: [['PickListValue', 'tns:PickListValue', many]],
  EntityInfo: [
    ['Name', 'xsd:string'],
    ['CanUpdate', 'xsd:boolean', required],
    ['CanDelete', 'xsd:boolean', required],
    ['CanCreate', 'xsd:boolean', required],
    ['CanQuery', 'xsd:boolean', required],
    ['HasUserDefinedFields', 'xsd:boolean', required],
  ],
  ArrayOfEntityInfo: [['EntityInfo', 'tns:EntityInfo', many]],
  ATWSResponse: [
    ['ReturnCode', 'xsd:int', required],
    ['EntityResults', 'tns:ArrayOfEntity'],
    ['EntityResultType', 'xsd:string'],
    ['Errors', 'tns:ArrayOfATWSError'],
    ['EntityReturnInfoResults', 'tns:ArrayOfEntityReturnInfo'],
  ],
  ATWSError: [['Message', 'xsd:string']],
  ArrayOfATWSError: [['ATWSError', 'tns:ATWSError', many]],
  EntityReturnInfo: [
    ['EntityId', 'xsd:long', required],
    ['DatabaseAction', 'tns:EntityReturnInfoDatabaseAction', required],
    ['DuplicateStatus', 'tns:EntityDuplicateStatus', required],
    ['Message', 'xsd:string'],
  ],
  ArrayOfEntityReturnInfo: [['EntityReturnInfo', 'tns:EntityReturnInfo', many]],
  EntityDuplicateStatus: [
    ['Found', 'xsd:boolean', required],
    ['MatchInfo', 'xsd:string'],
    ['Ignored', 'xsd:boolean', required],
  ],
  ATWSZoneInfo: [
    ['URL', 'xsd:string'],
    ['ErrorCode', 'xsd:int', required],
    ['DataBaseType', 'xsd:string'],
    ['CI', 'xsd:int', required],
    ['WebUrl', 'xsd:string'],
  ],
  AutotaskIntegrations: [
    ['PartnerID', 'xsd:string'],
    ['IntegrationCode', 'xsd:string'],
    ['ImpersonateAsResourceID', 'xsd:int'],
  ],
};

const databaseActions = ['None', 'Created', 'Updated'] as const;
export type DatabaseAction = (typeof databaseActions)[number];

/** The one schema of the description: every element and type is in it. */
export function wsdlSchema(entities: readonly SoapEntity[]): XmlNode {
  return xml(
    'xsd:schema',
    { elementFormDefault: 'qualified', targetNamespace: ATWS },
    ...soapOperations.flatMap(wrappers),
    xml('xsd:element', { name: 'AutotaskIntegrations', type: 'tns:AutotaskIntegrations' }),
    ...Object.entries(types).map(([name, members]) => xml('xsd:complexType', { name }, sequence(members))),
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

/** The element of a request and that of its answer. */
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

/** What all entities have. It is abstract: each entity says by `xsi:type` which it is. */
const baseEntity = xml(
  'xsd:complexType',
  { name: 'Entity', abstract: 'true' },
  sequence([
    ['Fields', 'tns:ArrayOfField'],
    ['id', 'xsd:long', required],
    ['UserDefinedFields', 'tns:ArrayOfUserDefinedField'],
  ]),
);

/**
 * An entity. Its fields may be of any type, as clients of this API family know them: each value says by `xsi:type` which
 * it has, and GetFieldInfo describes them.
 */
function entityType({ name, fields }: SoapEntity): XmlNode {
  const own = fields.filter(({ soapName }) => soapName !== 'id');
  return xml(
    'xsd:complexType',
    { name },
    xml(
      'xsd:complexContent',
      {},
      xml('xsd:extension', { base: 'tns:Entity' }, sequence(own.map(({ soapName }): Member => [soapName, null]))),
    ),
  );
}

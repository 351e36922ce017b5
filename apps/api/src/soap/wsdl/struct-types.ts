import { xml, type XmlNode } from '../xml/write-xml.ts';

/** A member of a type: null stands for any type. */
export type Member = readonly [name: string, type: string | null, options?: Readonly<Record<string, string>>];

const required = { minOccurs: '1' };
const many = { maxOccurs: 'unbounded', nillable: 'true' };

/** The types without the catalogue, each with the members in the order of responses. */
export const structTypes = {
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
    ['IsSupportedWebhookField', 'xsd:boolean', required],
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
    ['UserAccessForCreate', 'xsd:string'],
    ['UserAccessForQuery', 'xsd:string'],
    ['UserAccessForUpdate', 'xsd:string'],
    ['UserAccessForDelete', 'xsd:string'],
    ['HasUserDefinedFields', 'xsd:boolean', required],
    ['SupportsWebhookCallouts', 'xsd:boolean', required],
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
} as const satisfies Readonly<Record<string, readonly Member[]>>;

export const databaseActions = ['None', 'Created', 'Updated'] as const;
export type DatabaseAction = (typeof databaseActions)[number];

type MemberValue = string | boolean | number | readonly XmlNode[] | null;

type MemberOf<Type extends keyof typeof structTypes> = (typeof structTypes)[Type][number][0];

/**
 * A value of a type, with the members in the order of the description: generated programs lose members that come later.
 * @param values by member: a value, the elements of a list, or null for absent members.
 */
export function structNode<Type extends keyof typeof structTypes>(
  type: Type,
  values: Readonly<Record<MemberOf<Type>, MemberValue>>,
): XmlNode {
  const members = structTypes[type].map(([name]) => name as MemberOf<Type>);
  return xml(
    type,
    {},
    ...members.map((name) => {
      const value: MemberValue = values[name];
      if (value === null) return null;
      return typeof value === 'object' ? xml(name, {}, ...value) : xml(name, {}, String(value));
    }),
  );
}

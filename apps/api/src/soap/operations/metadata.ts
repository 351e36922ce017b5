import { Problem } from '@callout/domain/problem';
import type { FieldMetadata } from '@callout/domain/metadata/field-metadata';
import type { SoapEntities } from '../entities/soap-entities.ts';
import type { SoapEntity } from '../entities/soap-entity.ts';
import { isRequiredLive } from '../entities/live-fields.ts';
import type { RestCalls, RestEndpoints } from '../rest-calls.ts';
import { structNode } from '../wsdl/struct-types.ts';
import { childrenNamed } from '../xml/xml-element.ts';
import type { XmlNode } from '../xml/write-xml.ts';
import type { UserAccess } from '../../rest/metadata/metadata-operations.ts';
import { abilitiesOf } from './create-update-delete.ts';
import type { Operation, SoapCall } from './soap-call.ts';

type Described = FieldMetadata & { readonly label?: string; readonly type?: string };

/** The part of a collection's `…/entityInformation` that may differ in SOAP. */
interface EntityInformation {
  readonly userAccessForCreate: UserAccess;
  readonly userAccessForQuery: UserAccess;
  readonly userAccessForUpdate: UserAccess;
  readonly userAccessForDelete: UserAccess;
  readonly supportsWebhookCallouts: boolean;
}

/** `GetFieldInfo`: the fields of an entity, as `…/entityInformation/fields` describes them, under their names here. */
export function createFieldInfo(entities: SoapEntities): Operation {
  return {
    isRead: true,
    async run(call) {
      const entity = entityOf(call, 'psObjectType', entities);
      const fields = await fieldsOf(call, entity, 'fields');
      return fields.flatMap((field) => {
        const knownField = entity.fieldByRestName(field.name);
        if (knownField === undefined) return [];
        const name = knownField.soapName;
        const isRequired = isRequiredLive(entity.name, name) ?? field.isRequired;
        return [fieldNode({ ...field, name, isRequired }, entities)];
      });
    },
  };
}

/** `getUDFInfo`: the user-defined fields of an entity. */
export function createUdfInfo(entities: SoapEntities): Operation {
  return {
    isRead: true,
    async run(call) {
      const fields = await fieldsOf(call, entityOf(call, 'psTable', entities), 'userDefinedFields');
      return fields.map((field) => fieldNode(field, entities));
    },
  };
}

/** `getEntityInfo`: the operations of each entity, and the caller's rights to them. */
export function createEntityInfo(entities: SoapEntities, endpoints: Pick<RestEndpoints, 'has'>): Operation {
  return {
    isRead: true,
    run: ({ rest }) => Promise.all(entities.all.map((entity) => entityNodeOf(entity, endpoints, rest))),
  };
}

async function entityNodeOf(
  entity: SoapEntity,
  endpoints: Pick<RestEndpoints, 'has'>,
  rest: RestCalls,
): Promise<XmlNode> {
  const { info } = (await rest.call('GET', `${entity.path}/entityInformation`)) as { info: EntityInformation };
  const { canCreate, canDelete, canUpdate } = abilitiesOf(endpoints, entity);
  // Children are changed under the webhook, by callers that may create children.
  const isChild = entity.writePath.includes('/:parentId/');
  const write = (can: boolean, access: UserAccess) => {
    if (!can) return 'None';
    return isChild ? info.userAccessForCreate : access;
  };
  return structNode('EntityInfo', {
    Name: entity.name,
    CanUpdate: canUpdate,
    CanDelete: canDelete,
    CanCreate: canCreate,
    CanQuery: true,
    UserAccessForCreate: write(canCreate, info.userAccessForCreate),
    UserAccessForQuery: info.userAccessForQuery,
    UserAccessForUpdate: write(canUpdate, info.userAccessForUpdate),
    UserAccessForDelete: write(canDelete, info.userAccessForDelete),
    HasUserDefinedFields: entity.hasUserDefinedFields,
    SupportsWebhookCallouts: info.supportsWebhookCallouts,
  });
}

/** Some clients send a parameter once more within an element of the name of the parameter. */
function parameterText({ element }: SoapCall, name: string): string {
  const [child] = childrenNamed(element, name);
  if (child === undefined) return '';
  const [nested] = childrenNamed(child, name);
  return (nested ?? child).text.trim();
}

function entityOf(call: SoapCall, parameter: string, entities: SoapEntities): SoapEntity {
  const name = parameterText(call, parameter);
  const entity = entities.byName(name);
  if (entity === undefined)
    throw Problem.invalid(`${parameter}: ${JSON.stringify(name.slice(0, 100))} is no entity of this API.`);
  return entity;
}

async function fieldsOf({ rest }: SoapCall, { path }: SoapEntity, which: string): Promise<readonly Described[]> {
  const { fields } = (await rest.call('GET', `${path}/entityInformation/${which}`)) as { fields: readonly Described[] };
  return fields;
}

function fieldNode(field: Described, { nameOfReference }: SoapEntities): XmlNode {
  const { name, label = fieldLabel(name), type = field.dataType, picklistValues, defaultValue } = field;
  return structNode('Field', {
    Name: name,
    Label: label,
    Type: type,
    Length: field.length,
    Description: field.description,
    IsRequired: field.isRequired,
    IsReadOnly: field.isReadOnly,
    IsQueryable: field.isQueryable,
    IsReference: field.isReference,
    ReferenceEntityType: nameOfReference(field.referenceEntityType),
    IsPickList: field.isPickList,
    PicklistValues: picklistValues === null ? null : picklistValues.map(valueNode),
    PicklistParentValueField: field.picklistParentValueField,
    // Clients expect an empty list of user-defined fields only.
    DefaultValue: defaultValue === '' && field.type === undefined ? null : defaultValue,
    IsSupportedWebhookField: field.isSupportedWebhookField,
  });
}

function valueNode(value: NonNullable<FieldMetadata['picklistValues']>[number]): XmlNode {
  return structNode('PickListValue', {
    Value: value.value,
    Label: value.label,
    IsDefaultValue: value.isDefaultValue,
    SortOrder: value.sortOrder,
    parentValue: value.parentValue,
    IsActive: value.isActive,
    IsSystem: value.isSystem,
  });
}

/** The label of a field: the name as words, abbreviations kept, like `Field ID` for `FieldID`. */
function fieldLabel(soapName: string): string {
  const words = soapName
    .replaceAll(/([a-z\d])(?=[A-Z])/gu, '$1 ')
    // The last capital of several begins the next word, as in SICCode.
    .replaceAll(/([A-Z]{2,})(?=[A-Z][a-z])/gu, '$1 ');
  return words === 'id' ? 'ID' : words;
}

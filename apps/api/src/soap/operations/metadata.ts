import { pascalCase, spacedWords } from '@callout/core/catalogue';
import { Problem } from '@callout/core/errors';
import type { FieldMetadata } from '@callout/core/metadata';
import type { SoapEntities } from '../entities/soap-entities.ts';
import type { SoapEntity } from '../entities/soap-entity.ts';
import type { RestEndpoints } from '../rest-calls.ts';
import { childText } from '../xml/xml-element.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';
import { abilitiesOf } from './create-update-delete.ts';
import type { Operation, SoapCall } from './soap-call.ts';

type Described = FieldMetadata & { readonly label?: string; readonly type?: string };

/** `GetFieldInfo`: the fields of an entity, as `…/entityInformation/fields` describes them, under their names here. */
export function createFieldInfo(entities: SoapEntities): Operation {
  return {
    isRead: true,
    async run(call) {
      const entity = entityOf(call, 'psObjectType', entities);
      const fields = await fieldsOf(call, entity, 'fields');
      return fields.flatMap((field) => {
        const known = entity.fieldByRestName(field.name);
        return known === undefined ? [] : [fieldNode({ ...field, name: known.soapName }, entities)];
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

/** `getEntityInfo`: what can be done with each entity. */
export function createEntityInfo(entities: SoapEntities, endpoints: Pick<RestEndpoints, 'has'>): Operation {
  const nodes = entities.all.map((entity) => {
    const { canCreate, canDelete, canUpdate } = abilitiesOf(endpoints, entity);
    return xml(
      'EntityInfo',
      {},
      xml('Name', {}, entity.name),
      xml('CanUpdate', {}, String(canUpdate)),
      xml('CanDelete', {}, String(canDelete)),
      xml('CanCreate', {}, String(canCreate)),
      xml('CanQuery', {}, 'true'),
      xml('HasUserDefinedFields', {}, String(entity.hasUserDefinedFields)),
    );
  });
  return { isRead: true, run: async () => nodes };
}

function entityOf({ element }: SoapCall, parameter: string, entities: SoapEntities): SoapEntity {
  const name = childText(element, parameter) ?? '';
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
  const { name, label = pascalCase(spacedWords(name)), type = field.dataType, picklistValues } = field;
  return xml(
    'Field',
    {},
    xml('Name', {}, name),
    xml('Label', {}, label),
    xml('Type', {}, type),
    xml('Length', {}, String(field.length)),
    xml('Description', {}, field.description),
    xml('IsRequired', {}, String(field.isRequired)),
    xml('IsReadOnly', {}, String(field.isReadOnly)),
    xml('IsQueryable', {}, String(field.isQueryable)),
    xml('IsReference', {}, String(field.isReference)),
    xml('ReferenceEntityType', {}, nameOfReference(field.referenceEntityType)),
    xml('IsPickList', {}, String(field.isPickList)),
    picklistValues === null ? null : xml('PicklistValues', {}, ...picklistValues.map(valueNode)),
    xml('PicklistParentValueField', {}, field.picklistParentValueField),
  );
}

function valueNode(value: NonNullable<FieldMetadata['picklistValues']>[number]): XmlNode {
  return xml(
    'PickListValue',
    {},
    xml('Value', {}, value.value),
    xml('Label', {}, value.label),
    xml('IsDefaultValue', {}, String(value.isDefaultValue)),
    xml('SortOrder', {}, String(value.sortOrder)),
    xml('parentValue', {}, value.parentValue),
    xml('IsActive', {}, String(value.isActive)),
    xml('IsSystem', {}, String(value.isSystem)),
  );
}

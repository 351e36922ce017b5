import type { Catalogue, EntityDefinition, FieldDefinition } from './catalogue.ts';
import type { DataType } from '../values/data-types.ts';

/**
 * What a change of a catalogue means for stored webhooks and records. `allowed`: nothing is lost. `loss`: something that
 * is stored is no longer shown or sent. `refused`: stored data would get another meaning.
 */
export type ChangeEffect = 'allowed' | 'loss' | 'refused';

/** One difference between two catalogues. */
export interface CatalogueChange {
  readonly effect: ChangeEffect;
  readonly entityType: string;
  /** Null: the change concerns the entity as a whole. */
  readonly fieldID: number | null;
  /** A sentence that says what changes, and what follows. */
  readonly text: string;
}

/** The differences between the catalogue that an installation has and the one that it would have. */
export function diffCatalogues(before: Catalogue, after: Catalogue): CatalogueChange[] {
  const types = new Set([...before.entities, ...after.entities].map(({ entityType }) => entityType));
  return [...types].flatMap((entityType) => {
    const [old, next] = [before.byEntityType(entityType), after.byEntityType(entityType)];
    const add = (effect: ChangeEffect, text: string): CatalogueChange[] => [
      { effect, entityType, fieldID: null, text },
    ];
    if (old === undefined) return add('allowed', 'The entity is new.');
    if (next === undefined)
      return add('loss', 'The entity is gone: webhooks and records stay stored, and nothing is sent or shown.');
    return [...diffEntity(old, next), ...diffFields(old, next)];
  });
}

function diffEntity(old: EntityDefinition, next: EntityDefinition): CatalogueChange[] {
  const changes: CatalogueChange[] = [];
  const add = (effect: ChangeEffect, text: string) =>
    changes.push({ effect, entityType: old.entityType, fieldID: null, text });
  for (const key of ['collection', 'webhookCollection'] as const) {
    if (old[key] !== '' && next[key] !== '' && old[key] !== next[key])
      add('loss', `The path /${old[key]} becomes /${next[key]}: clients that use the old path find nothing.`);
  }
  if (old.supportsWebhookCallouts && !next.supportsWebhookCallouts)
    add('loss', 'Webhooks are no longer supported: those that exist get nothing, and cannot be read.');
  if (old.hasUserDefinedFields && !next.hasUserDefinedFields)
    add('loss', 'User-defined fields are no longer supported: their values are no longer shown or sent.');
  return changes;
}

function diffFields(old: EntityDefinition, next: EntityDefinition): CatalogueChange[] {
  const changes: CatalogueChange[] = [];
  const add = (effect: ChangeEffect, { fieldID }: FieldDefinition, text: string) =>
    changes.push({ effect, entityType: old.entityType, fieldID, text });
  for (const field of old.fields) {
    const { name, fieldID } = field;
    const same = next.fields.find((one) => one.name === name);
    const heir = next.fieldByID(fieldID);
    if (same === undefined && heir !== undefined && old.fieldByName(heir.name) === undefined) {
      add(
        'loss',
        field,
        `${name} becomes ${heir.name}: webhooks keep it, and values that are stored as ${name} are no longer shown or sent.`,
      );
      for (const [effect, text] of diffField(field, heir)) add(effect, field, text);
    } else if (same === undefined) {
      add('loss', field, `${name} is gone: values stay stored, and webhooks that watch it no longer do.`);
    } else if (same.fieldID === fieldID) {
      for (const [effect, text] of diffField(field, same)) add(effect, field, text);
    } else {
      add(
        'refused',
        field,
        `${name} has the fieldID ${same.fieldID} in place of ${fieldID}, by which webhooks name it: give it ${fieldID} again.`,
      );
    }
  }
  for (const field of next.fields) {
    const isNew = old.fieldByID(field.fieldID) === undefined && old.fieldByName(field.name) === undefined;
    if (isNew) add('allowed', field, `${field.name} is new: stored records have no value.`);
  }
  return changes;
}

/** Data types whose stored values are values of another type, too. */
const widened: Partial<Record<DataType, readonly DataType[]>> = {
  integer: ['long', 'decimal', 'double'],
  long: ['decimal', 'double'],
  decimal: ['double'],
};

function diffField(old: FieldDefinition, next: FieldDefinition): [ChangeEffect, string][] {
  const changes: [ChangeEffect, string][] = [];
  const { name } = next;
  if (old.dataType !== next.dataType) {
    const isWider = widened[old.dataType]?.includes(next.dataType) === true;
    changes.push(
      isWider
        ? ['allowed', `${name} becomes ${next.dataType}, which every stored ${old.dataType} is.`]
        : ['refused', `${name} is stored as ${old.dataType} and cannot be ${next.dataType}: add a field for that.`],
    );
  }
  if (next.length > 0 && (old.length === 0 || next.length < old.length))
    changes.push([
      'loss',
      `${name} takes ${next.length} characters at most: longer values stay until they are changed.`,
    ]);
  if (!old.isRequired && next.isRequired)
    changes.push(['allowed', `${name} is required of new records: stored ones may have no value.`]);
  if (old.isSupportedWebhookField && !next.isSupportedWebhookField)
    changes.push(['loss', `${name} is no longer for webhooks: those that watch it no longer do.`]);
  if (old.name === name && old.soapName !== next.soapName)
    changes.push(['loss', `${name} is called ${next.soapName} in place of ${old.soapName} in the SOAP API.`]);
  const values = new Set(next.picklistValues.map(({ value }) => value));
  const gone = old.picklistValues.filter(({ value }) => !values.has(value));
  if (gone.length > 0 && next.isPickList && !next.takesOtherValues)
    changes.push(['loss', `${name} no longer takes ${gone.map(({ label }) => label).join(', ')}.`]);
  return changes;
}

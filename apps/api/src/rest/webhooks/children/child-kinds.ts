import type { KnownKeys } from '@callout/domain/input/fold-keys';
import type { FieldTable } from '@callout/domain/metadata/field';
import {
  type ChildPlace,
  webhookExcludedResourceFields,
  webhookFieldFields,
  webhookUdfFieldFields,
} from '@callout/webhooks/input/child-fields-of-entity';
import type { ChildInputContext, FieldFlags } from '@callout/webhooks/input/child-input';
import type { UdfReference } from '@callout/webhooks/input/child-references';
import {
  type ChildUpdate,
  parseExcludedResourceCreate,
  parseFieldCreate,
  parseFieldUpdate,
  parseUdfFieldCreate,
  parseUdfFieldUpdate,
  type UpdateMethod,
} from '@callout/webhooks/input/webhook-children';
import { knownChildKeys } from '@callout/webhooks/input/webhook-fields';
import type { ChildKind as StoredKind } from '@callout/webhooks/child-tables';
import type { NewChild } from '@callout/webhooks/children';
import type { EntityDefinition } from '@callout/domain/catalogue/catalogue';

/** The properties of one kind of children; everything else is common. */
export interface ChildKind {
  readonly kind: StoredKind;
  /** The last part of the path, and of the root twin's name. */
  readonly segment: 'Fields' | 'UdfFields' | 'ExcludedResources';
  /** The name of a child's subject in bodies and items. */
  readonly idKey: 'fieldID' | 'udfFieldID' | 'resourceID';
  /** Whether reading a body, or describing it, needs the tenant's user-defined fields. */
  readonly namesUserDefinedFields: boolean;
  /** The keys that mean something in a body. */
  readonly keys: KnownKeys;
  readonly isOf: (entity: EntityDefinition) => boolean;
  readonly parseCreate: (body: unknown, context: ChildInputContext) => { webhookId: number; child: NewChild };
  /** Null: there is nothing to change. */
  readonly parseUpdate:
    ((method: UpdateMethod, body: unknown, context: ChildInputContext, pathId?: number) => ChildUpdate) | null;
  readonly fields: (entity: EntityDefinition, place: ChildPlace, udfs: readonly UdfReference[]) => FieldTable;
}

export const childKinds: readonly ChildKind[] = [
  {
    kind: 'fields',
    keys: knownChildKeys.fields,
    segment: 'Fields',
    idKey: 'fieldID',
    namesUserDefinedFields: false,
    isOf: () => true,
    parseCreate(body, context) {
      const { webhookId, fieldId, ...flags } = parseFieldCreate(body, context);
      return { webhookId, child: { targetId: fieldId, flags: flagsOf(flags) } };
    },
    parseUpdate: parseFieldUpdate,
    fields: webhookFieldFields,
  },
  {
    kind: 'udfFields',
    keys: knownChildKeys.udfFields,
    segment: 'UdfFields',
    idKey: 'udfFieldID',
    namesUserDefinedFields: true,
    isOf: (entity) => entity.hasUserDefinedFields,
    parseCreate(body, context) {
      const { webhookId, udfFieldId, ...flags } = parseUdfFieldCreate(body, context);
      return { webhookId, child: { targetId: udfFieldId, flags: flagsOf(flags) } };
    },
    parseUpdate: parseUdfFieldUpdate,
    fields: webhookUdfFieldFields,
  },
  {
    kind: 'excludedResources',
    keys: knownChildKeys.excludedResources,
    segment: 'ExcludedResources',
    idKey: 'resourceID',
    namesUserDefinedFields: false,
    isOf: () => true,
    parseCreate(body, context) {
      const { webhookId, resourceId } = parseExcludedResourceCreate(body, context);
      return { webhookId, child: { targetId: resourceId, flags: null } };
    },
    parseUpdate: null,
    fields: webhookExcludedResourceFields,
  },
];

function flagsOf({ isSubscribed, isDisplayAlways }: FieldFlags): FieldFlags {
  return { isSubscribed, isDisplayAlways };
}

/** The collections that number the children of an entity's webhooks, and under whose names they can be read as a whole. */
export function childCollections({ webhookSingular }: EntityDefinition): Readonly<Record<StoredKind, string>> {
  return {
    fields: `${webhookSingular}Fields`,
    udfFields: `${webhookSingular}UdfFields`,
    excludedResources: `${webhookSingular}ExcludedResources`,
  };
}

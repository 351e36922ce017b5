import type { EntityDefinition } from '@callout/core/catalogue';
import type { KnownKeys } from '@callout/core/input';
import type { FieldTable } from '@callout/core/metadata';
import {
  type ChildInputContext,
  type ChildPlace,
  type ChildUpdate,
  type FieldFlags,
  knownChildKeys,
  parseExcludedResourceCreate,
  parseFieldCreate,
  parseFieldUpdate,
  parseUdfFieldCreate,
  parseUdfFieldUpdate,
  type UdfReference,
  type UpdateMethod,
  webhookExcludedResourceFields,
  webhookFieldFields,
  webhookUdfFieldFields,
} from '@callout/core/webhook';
import type { ChildKind as StoredKind, NewChild } from '@callout/db/webhooks';

/** What tells one kind of children from the others; everything else they have in common. */
export interface ChildKind {
  readonly kind: StoredKind;
  /** The last part of the path, and of the root twin's name. */
  readonly segment: 'Fields' | 'UdfFields' | 'ExcludedResources';
  /** What a child is about is called so in bodies and items. */
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

import type { FieldFlags } from './input/child-input.ts';
import type { ChangedEntity } from '@callout/database/changes/record-changes';
import type { Prisma } from '@callout/database/generated/client';

/** The kinds of children that a webhook has. */
export type ChildKind = 'fields' | 'udfFields' | 'excludedResources';

/** A child of a webhook as reads need it. */
export interface StoredChild {
  id: number;
  webhookId: number;
  /** The field, user-defined field or resource that the child is about. */
  targetId: number;
  /** Null for kinds without flags. */
  flags: FieldFlags | null;
}

/** Prisma's models, in a transaction or without. */
type Models = Prisma.TransactionClient;

/** A child to be stored. */
export interface ChildRow {
  tenantId: number;
  entityType: string;
  id: number;
  webhookKey: number;
  targetId: number;
  flags: FieldFlags | null;
}

/** Where a child is looked for: under a webhook, or under all webhooks of an entity. */
export interface ChildScope {
  tenantId: number;
  entityType: string;
  webhookId?: number;
}

/** The subject and the model of a kind of children. */
export interface ChildTable {
  /** The name of the subject's id in bodies. */
  readonly idKey: string;
  /** The source of the subjects: rows of the database can be deleted meanwhile. */
  readonly references: 'catalogue' | 'udfDefinitions' | 'resources';
  /** The name of the children among changes. */
  readonly changedEntity: ChangedEntity;
  /** @returns how many were stored: 0 when the webhook has a child about the same subject. */
  insert(models: Models, child: ChildRow): Promise<number>;
  /** A child of a webhook that is not deleted. */
  find(models: Models, scope: ChildScope, id: number): Promise<StoredChild | undefined>;
  /** @returns the number of changed children. */
  update(models: Models, webhookKey: number, id: number, flags: Partial<FieldFlags>): Promise<number>;
  /** @returns the number of removed children. */
  remove(models: Models, webhookKey: number, id: number): Promise<number>;
}

export const childTables: Readonly<Record<ChildKind, ChildTable>> = {
  fields: {
    idKey: 'fieldID',
    references: 'catalogue',
    changedEntity: 'webhookField',
    async insert(models, { targetId, flags, ...child }) {
      const data = { ...child, fieldId: targetId, ...columnsOf(flags ?? noFlags) };
      return (await models.webhookField.createMany({ data, skipDuplicates: true })).count;
    },
    async find(models, scope, id) {
      const row = await models.webhookField.findUnique({ where: whereOf(scope, id), include: ofWebhook });
      return row === null ? undefined : storedOf(row, row.fieldId, flagsOf(row));
    },
    async update(models, webhookKey, id, flags) {
      return (await models.webhookField.updateMany({ where: { webhookKey, id }, data: columnsOf(flags) })).count;
    },
    async remove(models, webhookKey, id) {
      return (await models.webhookField.deleteMany({ where: { webhookKey, id } })).count;
    },
  },
  udfFields: {
    idKey: 'udfFieldID',
    references: 'udfDefinitions',
    changedEntity: 'webhookUdfField',
    async insert(models, { targetId, flags, ...child }) {
      const data = { ...child, udfFieldId: targetId, ...columnsOf(flags ?? noFlags) };
      return (await models.webhookUdfField.createMany({ data, skipDuplicates: true })).count;
    },
    async find(models, scope, id) {
      const row = await models.webhookUdfField.findUnique({ where: whereOf(scope, id), include: ofWebhook });
      return row === null ? undefined : storedOf(row, row.udfFieldId, flagsOf(row));
    },
    async update(models, webhookKey, id, flags) {
      return (await models.webhookUdfField.updateMany({ where: { webhookKey, id }, data: columnsOf(flags) })).count;
    },
    async remove(models, webhookKey, id) {
      return (await models.webhookUdfField.deleteMany({ where: { webhookKey, id } })).count;
    },
  },
  excludedResources: {
    idKey: 'resourceID',
    references: 'resources',
    changedEntity: 'webhookExcludedResource',
    async insert(models, { targetId, flags: _none, ...child }) {
      const data = { ...child, resourceId: targetId };
      return (await models.webhookExcludedResource.createMany({ data, skipDuplicates: true })).count;
    },
    async find(models, scope, id) {
      const row = await models.webhookExcludedResource.findUnique({ where: whereOf(scope, id), include: ofWebhook });
      return row === null ? undefined : storedOf(row, row.resourceId, null);
    },
    // An excluded resource has no flag to change.
    update: (models, webhookKey, id) => models.webhookExcludedResource.count({ where: { webhookKey, id } }),
    async remove(models, webhookKey, id) {
      return (await models.webhookExcludedResource.deleteMany({ where: { webhookKey, id } })).count;
    },
  },
};

interface FlagColumns {
  isSubscribedField: boolean;
  isDisplayAlwaysField: boolean;
}

const noFlags: FieldFlags = { isSubscribed: false, isDisplayAlways: false };

/** Flags that are not named keep their values. */
function columnsOf(flags: FieldFlags): FlagColumns;
function columnsOf(flags: Partial<FieldFlags>): Partial<FlagColumns>;
function columnsOf({ isSubscribed, isDisplayAlways }: Partial<FieldFlags>): Partial<FlagColumns> {
  return {
    ...(isSubscribed !== undefined && { isSubscribedField: isSubscribed }),
    ...(isDisplayAlways !== undefined && { isDisplayAlwaysField: isDisplayAlways }),
  };
}

function flagsOf({ isSubscribedField, isDisplayAlwaysField }: FlagColumns): FieldFlags {
  return { isSubscribed: isSubscribedField, isDisplayAlways: isDisplayAlwaysField };
}

const ofWebhook = { webhook: { select: { id: true } } } as const;

function whereOf({ tenantId, entityType, webhookId }: ChildScope, id: number) {
  return {
    tenantId_entityType_id: { tenantId, entityType, id },
    webhook: { deletedAt: null, ...(webhookId !== undefined && { id: webhookId }) },
  };
}

function storedOf(
  row: { id: number; webhook: { id: number } },
  targetId: number,
  flags: FieldFlags | null,
): StoredChild {
  return { id: row.id, webhookId: row.webhook.id, targetId, flags };
}

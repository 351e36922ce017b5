import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf, type ComparableUdf } from '@callout/domain/condition/condition-fields';
import { compileCondition, type CompiledCondition } from '@callout/domain/condition/judge-condition';
import { readCondition } from '@callout/domain/condition/read-condition';
import {
  type CompiledSubscription,
  compileSubscription,
  type PayloadSettings,
  type SubscribedUdf,
} from './match.rules.ts';
import { LRUCache } from 'lru-cache';
import type { Client } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import type { GroupVersions } from './pending-events.ts';

/** The webhooks of one tenant and entity are matched together. */
export interface WebhookGroup {
  tenantId: number;
  entityType: string;
}

interface SubscriptionRow {
  entity_type: string;
  webhookKey: number;
  webhookId: number;
  webhookGuid: string;
  version: number;
  isActive: boolean;
  isPulled: boolean;
  mergesWhileWaiting: boolean;
  isLimited: boolean;
  activatedAt: Date | null;
  onCreate: boolean;
  onUpdate: boolean;
  onDelete: boolean;
  fields: { fieldID: number; isSubscribed: boolean; isDisplayAlways: boolean }[] | null;
  udfFields: SubscribedUdf[] | null;
  excludedResourceIds: number[] | null;
  payload: PayloadSettings;
  condition: string | null;
  /** The user-defined fields that the condition may name. */
  comparableUdfs: ComparableUdf[] | null;
}

const readVersions = statementFrom<{ webhooks: [key: number, version: number][] }>('match/match_read_versions');

/** The webhooks of a tenant and entity, with the committed versions of their configurations. */
export async function readGroupVersions(client: Client, group: WebhookGroup): Promise<GroupVersions> {
  const [row] = await readVersions(client, [group.tenantId, group.entityType]);
  return { ...group, webhooks: row?.webhooks ?? [] };
}

const readSubscriptions = statementFrom<SubscriptionRow>('match/match_read_subscriptions');

/** Compiled subscriptions of the requested groups, each group in order of the webhook's key. */
export type Subscriptions = Map<string, CompiledSubscription[]>;

export function groupKeyOf({ tenantId, entityType }: WebhookGroup): string {
  return `${tenantId}/${entityType}`;
}

/**
 * Returns the subscriptions of webhooks whose versions are known. Every change of a webhook or of its children raises
 * its version, so a compiled subscription is valid as long as the version is the same.
 */
export function createSubscriptionReader(
  catalogue: Catalogue,
  maxKept: number,
): (client: Client, groups: readonly GroupVersions[]) => Promise<Subscriptions> {
  const kept = new LRUCache<number, CompiledSubscription>({ max: maxKept });
  return async (client, groups) => {
    const subscriptions: Subscriptions = new Map(groups.map((group) => [groupKeyOf(group), []]));
    const versions = groups.flatMap(({ tenantId, entityType, webhooks }) =>
      webhooks.map(([key, version]) => ({ tenantId, entityType, key, version })),
    );
    // Removed from the cache before anything is awaited: another match may replace these entries meanwhile.
    const current = new Map<number, CompiledSubscription>();
    for (const { key, version } of versions) {
      const subscription = kept.get(key);
      if (subscription?.version === version) current.set(key, subscription);
    }
    const stale = versions.filter(({ key }) => !current.has(key)).map(({ key }) => key);
    if (stale.length > 0) {
      for (const row of await readSubscriptions(client, [stale])) {
        const subscription = compile(catalogue, row);
        current.set(row.webhookKey, subscription);
        kept.set(row.webhookKey, subscription);
      }
    }
    for (const { tenantId, entityType, key } of versions) {
      const subscription = current.get(key);
      // A deleted webhook keeps its row, so none can disappear between the two reads.
      if (!subscription) throw new Error(`webhook ${key} has no subscription`);
      subscriptions.get(groupKeyOf({ tenantId, entityType }))?.push(subscription);
    }
    return subscriptions;
  };
}

function compile(catalogue: Catalogue, row: SubscriptionRow): CompiledSubscription {
  const entity = catalogue.byEntityType(row.entity_type);
  const fields = (row.fields ?? []).flatMap(({ fieldID, isSubscribed, isDisplayAlways }) => {
    const name = entity?.fieldByID(fieldID)?.name;
    return name === undefined ? [] : [{ name, isSubscribed, isDisplayAlways }];
  });
  const { entity_type: _entityType, condition, comparableUdfs, ...configuration } = row;
  return compileSubscription({
    ...configuration,
    fields,
    udfFields: row.udfFields ?? [],
    excludedResourceIds: row.excludedResourceIds ?? [],
    condition:
      condition === null || entity === undefined ? null : compileConditionText(condition, entity, comparableUdfs ?? []),
  });
}

/** Prepares a stored condition. A field that is gone counts as one that was never given; readiness says so. */
export function compileConditionText(
  text: string,
  entity: EntityDefinition,
  udfs: readonly ComparableUdf[],
): CompiledCondition {
  return compileCondition(readCondition(JSON.parse(text), conditionFieldsOf(entity, udfs), []));
}

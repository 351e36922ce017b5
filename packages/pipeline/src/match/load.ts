import { previousValues, type StoredPrevious } from '@callout/domain/previous-values';
import { storedLayoutOf } from './layout.rules.ts';
import type { MatchEvent } from './match-events.rules.ts';
import type { Client, Transaction } from '@callout/database/connection/database';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { timeOfId, lowestIdAt } from '@callout/database/schema/ids';
import { dayMs } from '@callout/database/schema/partitions';
import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { conditionFieldsOf, type ComparableUdf } from '@callout/domain/condition/condition-fields';
import { compileCondition, type CompiledCondition } from '@callout/domain/condition/judge-condition';
import { readCondition } from '@callout/domain/condition/read-condition';
import {
  type CompiledSubscription,
  compileSubscription,
  type Subscription,
  type SubscribedUdf,
} from './match.rules.ts';
import { createTenantCache, type TenantCacheLimits } from '../cache/tenant-cache.ts';

/** A stored event, with the record's known values right after the event. */
export interface StoredEvent extends MatchEvent {
  readonly recordVersion: number;
}

type ClaimedRow = Omit<StoredEvent, 'previous'> & {
  storedPrevious: StoredPrevious | null;
  webhooks: [key: number, version: number][] | null;
};

/** Outside the bounds only the id is read. */
const claim = statementFrom<ClaimedRow | (Pick<ClaimedRow, 'id'> & { tenantId: null })>('match/match_claim_pending');

/** The webhooks of one tenant and entity, with the committed versions by which configurations are cached. */
export interface GroupVersions extends WebhookGroup {
  /** In order of the key. */
  webhooks: readonly (readonly [key: number, version: number])[];
}

/** Events claimed until the transaction ends, and the webhooks for which the events are judged. */
export interface ClaimedEvents {
  events: StoredEvent[];
  groups: GroupVersions[];
}

/** How much one claim reads at most. */
export interface ClaimLimits {
  readonly maxEvents: number;
  /** Characters of values as JSON, apart from the last event: the first event is claimed, however long. */
  readonly maxCharacters: number;
}

/**
 * Claims pending events until the transaction ends: all pending events of the records that the given events are
 * about, oldest first of each record, within the limits. Events that are no longer pending are left out.
 */
export async function claimPendingEvents(
  transaction: Transaction,
  eventIds: readonly string[],
  limits: ClaimLimits,
): Promise<ClaimedEvents> {
  const rows = await claimWithinDays(transaction, eventIds, limits);
  nameTransactionTrace(transaction, 'match', () => rows.map(({ traceParent }) => traceParent));
  const groups = new Map<string, GroupVersions>();
  const events = rows.map((row) => {
    const { tenantId, entityType, webhooks, storedPrevious } = row;
    const name = groupKeyOf(row);
    // The first event of each group has the webhooks of the group.
    if (!groups.has(name)) groups.set(name, { tenantId, entityType, webhooks: webhooks ?? [] });
    // The row itself: every event of a flood passes here, and copies would have to be collected.
    return Object.assign(row, { previous: previousValues(row, storedPrevious) });
  });
  return { events, groups: [...groups.values()] };
}

/**
 * Events of a record are mostly of one day. If events are of further days, all events are read again with the further
 * days, under the locks of the first reading.
 */
async function claimWithinDays(
  transaction: Transaction,
  eventIds: readonly string[],
  { maxEvents, maxCharacters }: ClaimLimits,
): Promise<ClaimedRow[]> {
  let [from, until] = daysOf(eventIds);
  for (;;) {
    const rows = await claim(transaction, [eventIds, maxEvents, from, until, maxCharacters]);
    const ids = rows.map(({ id }) => id);
    if (ids.every((id) => from <= id && id < until)) return rows.filter((row) => row.tenantId !== null);
    const [first, last] = daysOf(ids);
    if (first < from) from = first;
    if (last > until) until = last;
  }
}

/** From the first id of the first day of some ids to the first id of the day after the last. */
function daysOf(ids: readonly string[]): [from: string, until: string] {
  const sorted = ids.toSorted();
  const dayOf = (id: string | undefined) => Math.floor(id === undefined ? 0 : timeOfId(id).getTime() / dayMs);
  const idAt = (day: number) => lowestIdAt(new Date(day * dayMs));
  return [idAt(dayOf(sorted.at(0))), idAt(dayOf(sorted.at(-1)) + 1)];
}

const findPending = statementFrom<{ eventId: string }>('match/match_find_pending');

/** The given events that are still pending. */
export async function stillPending(client: Client, eventIds: readonly string[]): Promise<string[]> {
  return (await findPending(client, [eventIds])).map((row) => row.eventId);
}

/** The webhooks of one tenant and entity are matched together. */
export interface WebhookGroup {
  tenantId: number;
  entityType: string;
}

/** The stored rows of a webhook. */
interface SubscriptionRow extends Omit<Subscription, 'fields' | 'udfFields' | 'excludedResourceIds' | 'condition'> {
  entity_type: string;
  tenantId: number;
  fields: { fieldID: number; isSubscribed: boolean; isDisplayAlways: boolean }[] | null;
  udfFields: SubscribedUdf[] | null;
  excludedResourceIds: number[] | null;
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

/** Webhooks in a statement: a condition on user-defined fields brings all user-defined fields of the entity. */
const readAtOnce = 200;

const readSubscriptions = statementFrom<SubscriptionRow>('match/match_read_subscriptions');

/** Compiled subscriptions of the requested groups, each group in order of the webhook's key. */
export type Subscriptions = Map<string, CompiledSubscription[]>;

export function groupKeyOf({ tenantId, entityType }: WebhookGroup): string {
  return `${tenantId}/${entityType}`;
}

/**
 * Returns the subscriptions of webhooks whose versions are known. Every change of a webhook or of its children raises
 * the version: a compiled subscription is valid until then.
 */
export function createSubscriptionReader(
  catalogue: Catalogue,
  limits: TenantCacheLimits,
): (client: Client, groups: readonly GroupVersions[]) => Promise<Subscriptions> {
  const kept = createTenantCache<CompiledSubscription>(limits);
  return async (client, groups) => {
    const subscriptions: Subscriptions = new Map(groups.map((group) => [groupKeyOf(group), []]));
    const versions = groups.flatMap(({ tenantId, entityType, webhooks }) =>
      webhooks.map(([key, version]) => ({ tenantId, entityType, key, version })),
    );
    // Removed from the cache before anything is awaited: another match may replace entries meanwhile.
    const current = new Map<number, CompiledSubscription>();
    for (const { key, version } of versions) {
      const subscription = kept.get(key);
      if (subscription?.version === version) current.set(key, subscription);
    }
    const stale = versions.filter(({ key }) => !current.has(key)).map(({ key }) => key);
    for (let from = 0; from < stale.length; from += readAtOnce) {
      for (const row of await readSubscriptions(client, [stale.slice(from, from + readAtOnce)])) {
        const entity = catalogue.byEntityType(row.entity_type);
        const subscription = compile(entity, row);
        current.set(row.webhookKey, subscription);
        // The layout is kept as long as the subscription.
        kept.set(row.webhookKey, row.tenantId, subscription, entity && storedLayoutOf(subscription, entity));
      }
    }
    for (const { tenantId, entityType, key } of versions) {
      const subscription = current.get(key);
      // A deleted webhook keeps the row, so no webhook can disappear between the two reads.
      if (!subscription) throw new Error(`webhook ${key} has no subscription`);
      subscriptions.get(groupKeyOf({ tenantId, entityType }))?.push(subscription);
    }
    return subscriptions;
  };
}

function compile(entity: EntityDefinition | undefined, row: SubscriptionRow): CompiledSubscription {
  const fields = (row.fields ?? []).flatMap(({ fieldID, isSubscribed, isDisplayAlways }) => {
    const name = entity?.fieldByID(fieldID)?.name;
    return name === undefined ? [] : [{ name, isSubscribed, isDisplayAlways }];
  });
  const { entity_type: _entityType, tenantId: _tenantId, condition, comparableUdfs, ...configuration } = row;
  return compileSubscription({
    ...configuration,
    fields,
    udfFields: row.udfFields ?? [],
    excludedResourceIds: row.excludedResourceIds ?? [],
    condition:
      condition === null || entity === undefined ? null : compileConditionText(condition, entity, comparableUdfs ?? []),
  });
}

/** Prepares a stored condition. A field that is gone counts as never given; readiness names the field. */
export function compileConditionText(
  text: string,
  entity: EntityDefinition,
  udfs: readonly ComparableUdf[],
): CompiledCondition {
  return compileCondition(readCondition(JSON.parse(text), conditionFieldsOf(entity, udfs), []));
}

import type { ActorKind } from '@callout/domain/changes/actor';
import type { FieldChange } from '@callout/domain/changes/field-changes';
import type { ListPosition } from '@callout/domain/query/list-cursor';
import type { ChangeAction, ChangeCause, ChangedEntity } from '@callout/database/changes/record-changes';
import { lowestId } from '@callout/database/schema/ids';
import { inSearch, type RunSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { lookFrom, pageOfIds, type LogPage } from './log-page.ts';

/** A change of a tenant's configuration, or a pause of a webhook. */
export interface LoggedChange {
  readonly id: string;
  readonly at: Date;
  readonly actorKind: ActorKind;
  readonly actorResourceId: number | null;
  readonly actorUserName: string | null;
  readonly entity: ChangedEntity;
  /** Null for what has no id: a signing key. */
  readonly entityId: number | null;
  /** Of a webhook and its children: the entity and the id of the webhook. */
  readonly entityType: string | null;
  readonly webhookId: number | null;
  readonly webhookName: string | null;
  readonly action: ChangeAction;
  readonly cause: ChangeCause;
  readonly fields: readonly FieldChange[];
  readonly detail: string | null;
}

/** Which changes of a tenant; null: all. */
export interface ChangeFilter {
  readonly tenantId: number;
  /** Of a webhook and its children. */
  readonly webhookKey: number | null;
  readonly since: Date | null;
  readonly until: Date | null;
}

const advice = 'with since and until';

/**
 * A page of changes, newest first; `position` null: the first one.
 * @throws an `invalid` Problem when it takes too long.
 */
export function listChanges(
  search: SearchDeps,
  filter: ChangeFilter,
  maxRecords: number,
  position: ListPosition | null,
): Promise<LogPage<LoggedChange>> {
  return inSearch({ ...search, advice }, filter.tenantId, async (run: RunSearch) => {
    const values = new SqlValues();
    const looking = lookFrom(position, 'c.id', values);
    const conditions = [...conditionsOf(filter, values), ...looking.conditions].join(' AND ');
    const rows = await run<LoggedChange>(
      `SELECT c.id, c.at, c.actor_kind AS "actorKind", c.actor_resource_id AS "actorResourceId",
         c.actor_user_name AS "actorUserName", c.entity, coalesce(c.entity_id, w.id) AS "entityId",
         w.entity_type AS "entityType", w.id AS "webhookId", w.name AS "webhookName", c.action, c.cause, c.fields, c.detail
       FROM (SELECT * FROM changes c WHERE ${conditions} ORDER BY c.id ${looking.order}
         LIMIT ${values.add(maxRecords + 1)}) AS c
       LEFT JOIN webhooks w ON w.key = c.webhook_key ORDER BY c.id ${looking.order}`,
      values,
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const page = pageOfIds([...byId.keys()], maxRecords, position);
    return { ...page, items: page.items.flatMap((id) => byId.get(id) ?? []) };
  });
}

function conditionsOf({ tenantId, webhookKey, since, until }: ChangeFilter, values: SqlValues): string[] {
  const conditions = [`c.tenant_id = ${values.add(tenantId)}`];
  if (webhookKey !== null) conditions.push(`c.webhook_key = ${values.add(webhookKey)}`);
  if (since !== null) conditions.push(`c.id >= ${values.add(lowestId(since))}::uuid`);
  if (until !== null) conditions.push(`c.id < ${values.add(lowestId(until))}::uuid`);
  return conditions;
}

import type { WebhookStatus } from '../log/webhook-status.rules.ts';
import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../sql-values.ts';
import { statusColumns, statusOf, statusSources, type StatusRow } from '../log/webhook-status.ts';

/** A webhook in a list of all entities, without its status. */
export interface WebhookOutline {
  readonly key: number;
  readonly entityType: string;
  readonly id: number;
  readonly name: string;
  readonly webhookUrl: string;
  readonly isActive: boolean;
  readonly createdAt: Date;
}

/** A webhook with its status. */
export interface WebhookState {
  readonly key: number;
  readonly entityType: string;
  readonly name: string;
  readonly webhookUrl: string;
  readonly ownerResourceId: number;
  readonly createdAt: Date;
  /** Until when the secret before the present secret signs too; null: only the present secret signs. */
  readonly previousSecretUntil: Date | null;
  readonly status: WebhookStatus;
}

/** Which webhooks of a tenant. */
export interface WebhookStatesScope {
  readonly tenantId: number;
  readonly webhookKey: number | null;
  readonly ownerResourceId: number | null;
}

type Row = StatusRow & Omit<WebhookState, 'status'>;

/** More would be no list that a person reads. */
const mostWebhooks = 20_000;

/** All webhooks of a scope, in order of entity and id. Quick, since only one table is read. */
export function readOutlines(search: SearchDeps, scope: WebhookStatesScope): Promise<WebhookOutline[]> {
  return inSearch(search, scope.tenantId, (run) => {
    const values = new SqlValues();
    return run<WebhookOutline>(
      `SELECT w.key, w.entity_type AS "entityType", w.id, w.name, w.webhook_url AS "webhookUrl",
         w.is_active AS "isActive", w.created_at AS "createdAt"
       FROM webhooks w WHERE ${within(scope, values)}
       ORDER BY w.entity_type, w.id LIMIT ${values.add(mostWebhooks)}`,
      values,
    );
  });
}

/** The webhooks with these keys, with their status. */
export async function readStates(
  search: SearchDeps,
  scope: WebhookStatesScope,
  keys: readonly number[],
): Promise<WebhookState[]> {
  if (keys.length === 0) return [];
  return statesWhere(search, scope, (values) => `w.key = ANY(${values.add(keys)}::bigint[])`);
}

/** Webhooks that may need attention: active webhooks, and inactive webhooks that no user deactivated. */
export function readSuspects(search: SearchDeps, scope: WebhookStatesScope): Promise<WebhookState[]> {
  const deactivated = `EXISTS (SELECT FROM changes c
    WHERE c.webhook_key = w.key AND c.action = 'deactivated' AND c.cause <> 'user')`;
  return statesWhere(search, scope, () => `(w.is_active OR ${deactivated})`);
}

/** A status comes from six tables, and is read only on request. */
function statesWhere(
  search: SearchDeps,
  scope: WebhookStatesScope,
  condition: (values: SqlValues) => string,
): Promise<WebhookState[]> {
  return inSearch(search, scope.tenantId, async (run) => {
    const values = new SqlValues();
    const rows = await run<Row>(
      `SELECT w.key, w.name, w.webhook_url AS "webhookUrl",
         w.owner_resource_id AS "ownerResourceId", w.created_at AS "createdAt",
         CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousSecretUntil",
         ${statusColumns}
       FROM ${statusSources}
       WHERE ${within(scope, values)} AND ${condition(values)}
       ORDER BY w.entity_type, w.id LIMIT ${values.add(mostWebhooks)}`,
      values,
    );
    return rows.map(stateOf);
  });
}

function within({ tenantId, webhookKey, ownerResourceId }: WebhookStatesScope, values: SqlValues): string {
  const conditions = [`w.tenant_id = ${values.add(tenantId)}`, 'w.deleted_at IS NULL'];
  if (webhookKey !== null) conditions.push(`w.key = ${values.add(webhookKey)}`);
  if (ownerResourceId !== null) conditions.push(`w.owner_resource_id = ${values.add(ownerResourceId)}`);
  return conditions.join(' AND ');
}

function stateOf(row: Row): WebhookState {
  const { key, name, webhookUrl, ownerResourceId, createdAt, previousSecretUntil, ...status } = row;
  return {
    key,
    entityType: status.entityType,
    name,
    webhookUrl,
    ownerResourceId,
    createdAt,
    previousSecretUntil,
    status: statusOf(status),
  };
}

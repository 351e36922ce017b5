import type { WebhookStatus } from '@callout/core/log';
import { inSearch, type SearchDeps } from '../search/search-transaction.ts';
import { SqlValues } from '../search/sql-values.ts';
import { statusColumns, statusOf, statusSources, type StatusRow } from '../log/webhook-status.ts';

/** A webhook with its status, as a list of all entities shows it. */
export interface WebhookState {
  readonly key: number;
  readonly entityType: string;
  readonly name: string;
  readonly webhookUrl: string;
  readonly ownerResourceId: number;
  readonly createdAt: Date;
  /** Until when the secret before the present one signs too; null: it does not. */
  readonly previousSecretUntil: Date | null;
  readonly status: WebhookStatus;
}

/** Which webhooks of a tenant. */
export interface WebhookStatesScope {
  readonly tenantId: number;
  readonly webhookKey: number | null;
  readonly ownerResourceId: number | null;
}

/** Reads all webhooks of a tenant with their status, in order of entity and id. */
export type ReadWebhookStates = (scope: WebhookStatesScope) => Promise<WebhookState[]>;

type Row = StatusRow & Omit<WebhookState, 'status'>;

/** More would be no list that a person reads. */
const mostWebhooks = 20_000;

export function createWebhookStatesReader(deps: SearchDeps): ReadWebhookStates {
  return ({ tenantId, webhookKey, ownerResourceId }) =>
    inSearch(deps, tenantId, async (run) => {
      const values = new SqlValues();
      const conditions = [`w.tenant_id = ${values.add(tenantId)}`, 'w.deleted_at IS NULL'];
      if (webhookKey !== null) conditions.push(`w.key = ${values.add(webhookKey)}`);
      if (ownerResourceId !== null) conditions.push(`w.owner_resource_id = ${values.add(ownerResourceId)}`);
      const rows = await run<Row>(
        `SELECT w.key, w.entity_type AS "entityType", w.name, w.webhook_url AS "webhookUrl",
           w.owner_resource_id AS "ownerResourceId", w.created_at AS "createdAt",
           CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousSecretUntil",
           ${statusColumns}
         FROM ${statusSources}
         WHERE ${conditions.join(' AND ')}
         ORDER BY w.entity_type, w.id LIMIT ${values.add(mostWebhooks)}`,
        values,
      );
      return rows.map((row) => {
        const {
          key,
          entityType,
          name,
          webhookUrl,
          ownerResourceId: owner,
          createdAt,
          previousSecretUntil,
          ...status
        } = row;
        return {
          key,
          entityType,
          name,
          webhookUrl,
          ownerResourceId: owner,
          createdAt,
          previousSecretUntil,
          status: statusOf(status),
        };
      });
    });
}

import { Problem } from '@callout/domain/problem/problem';
import type { CalloutKind } from '@callout/domain/callout/callout-states';
import type { Client } from '@callout/database/connection/database';
import { idOf } from '@callout/database/schema/id-time';
import { statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/tables/locked-webhook';

/** A callout of a webhook. */
export interface CalloutAddress {
  readonly webhook: WebhookAddress;
  /** As given by the caller. */
  readonly calloutId: string;
}

interface FoundCallout {
  id: string;
  kind: CalloutKind;
}

const find = statement<FoundCallout>(
  'repair_find_callout',
  `SELECT c.id, c.kind FROM (SELECT id, kind, webhook_key FROM callouts WHERE id = $4 OFFSET 0) AS c, LATERAL (
     SELECT FROM webhooks
     WHERE key = c.webhook_key AND (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL OFFSET 0
   ) AS w`,
);

/** Throws a Problem `notFound` when the webhook, or its callout, does not exist. */
export async function findCallout(client: Client, { webhook, calloutId }: CalloutAddress): Promise<FoundCallout> {
  const id = idOf(calloutId);
  const { tenantId, entityType, id: webhookId } = webhook;
  const [callout] = id === undefined ? [] : await find(client, [tenantId, entityType, webhookId, id]);
  if (callout === undefined) throw Problem.notFound();
  return callout;
}

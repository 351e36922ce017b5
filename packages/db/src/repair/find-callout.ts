import { Problem } from '@callout/core/errors';
import type { CalloutKind } from '@callout/core/settle';
import type { Client } from '../connection/database.ts';
import { idOf } from '../log/id-time.ts';
import { statement } from '../connection/statement/statement.ts';
import type { WebhookAddress } from '../webhooks/webhook-address.ts';

/** A callout of a webhook. */
export interface CalloutAddress {
  readonly webhook: WebhookAddress;
  /** As a caller gives it. */
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

/** Throws a Problem `notFound` when the webhook, or the callout of it, does not exist. */
export async function findCallout(client: Client, { webhook, calloutId }: CalloutAddress): Promise<FoundCallout> {
  const id = idOf(calloutId);
  const { tenantId, entityType, id: webhookId } = webhook;
  const [callout] = id === undefined ? [] : await find(client, [tenantId, entityType, webhookId, id]);
  if (callout === undefined) throw Problem.notFound();
  return callout;
}

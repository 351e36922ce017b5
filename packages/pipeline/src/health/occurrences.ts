import { webhookHealthType } from '@callout/domain/catalogue/webhook-health';
import type { Transaction } from '@callout/database/connection/database';
import { columns, jsonArray, statement } from '@callout/database/connection/statement/statement';
import { newId } from '@callout/database/schema/ids';
import type { NewOccurrence } from './occurrence.rules.ts';

// A webhook on WebhookHealth is never watched, neither by itself nor by another one: what is sent about webhooks can so
// make no further event, however the receivers behave. A tenant without an active webhook of that entity pays one
// look at an index.
const store = statement(
  'occurrences_store',
  `INSERT INTO webhook_occurrences (id, tenant_id, actor_resource_id, content)
   SELECT n.id, w.tenant_id, n.actor_resource_id, json_build_object(
     'occurrence', n.occurrence, 'subject', n.subject,
     'webhook', json_build_object('guid', w.guid, 'entityType', w.entity_type, 'id', w.id, 'name', w.name,
       'url', w.webhook_url, 'state', CASE WHEN w.deleted_at IS NOT NULL THEN 'deleted' WHEN NOT w.is_active THEN 'inactive'
         WHEN EXISTS (SELECT FROM webhook_health h WHERE h.webhook_key = w.key AND h.pauses > 0) THEN 'paused'
         ELSE 'active' END),
     'facts', n.facts)
   FROM ROWS FROM (
     unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::int[]), json_array_elements($6::json)
   ) WITH ORDINALITY AS n (id, webhook_key, occurrence, subject, actor_resource_id, facts, nth)
   CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE key = n.webhook_key OFFSET 0) AS w
   WHERE w.entity_type <> '${webhookHealthType}' AND EXISTS (SELECT FROM webhooks h
     WHERE (h.tenant_id, h.entity_type) = (w.tenant_id, '${webhookHealthType}') AND h.is_active AND h.deleted_at IS NULL)
   ORDER BY n.nth`,
);

/**
 * Stores what happened to webhooks, in the transaction in which it happens, where a webhook of their tenants wants to
 * know: neither is an event lost nor made without its cause. `makeHealthEvents` makes the events of them, since the
 * record of an event is locked before the rows that such a transaction has locked.
 */
export async function storeOccurrences(transaction: Transaction, occurrences: readonly NewOccurrence[]): Promise<void> {
  if (occurrences.length === 0) return;
  // Ids rise in the order of the occurrences, also of several within a millisecond.
  const ids = occurrences.map(() => newId()).toSorted();
  const rows = occurrences.map((one, nth) => ({ ...one, id: ids[nth], actorResourceId: one.actorResourceId ?? null }));
  await store(transaction, [
    ...columns(rows, ['id', 'webhookKey', 'occurrence', 'subject', 'actorResourceId']),
    jsonArray(rows.map(({ facts }) => JSON.stringify(facts))),
  ]);
}

-- Removes occurrences whose events were stored before a process died. The ingest forgets their eventIDs after 24
-- hours, and would make the events again.
--
-- locks: none (webhook_occurrences is locked by nothing else)
-- indexes: events_by_key
DELETE FROM webhook_occurrences o WHERE o.occurred_at <= now() - interval '23 hours'
  AND EXISTS (SELECT FROM events e WHERE (e.tenant_id, e.event_key) = (o.tenant_id, o.id::text))

-- Ends the pending state of events and stores their verdicts.
--
-- $1 uuid[]  events
-- $2 int[]   tenants
-- $3 json[]  verdicts
--
-- locks: none (match_claim_pending has them)
-- indexes: pending_events_pkey
WITH matched AS (DELETE FROM pending_events WHERE event_id = ANY($1::uuid[]))
INSERT INTO event_matches (event_id, tenant_id, verdicts)
SELECT * FROM unnest($1::uuid[], $2::int[], $3::json[])

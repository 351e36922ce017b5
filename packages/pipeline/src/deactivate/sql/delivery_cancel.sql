-- Cancels callouts that are open in one of these states. The lease of one that is being sent is kept for a late 2xx; such
-- callouts are few. The transaction has locked them in an earlier statement: this one sees the changes that the other had
-- to wait for.
--
-- $1 uuid[]  callouts
-- $2 text[]  states
-- $3 uuid    the lowest of the callouts
-- $4 uuid    the highest: with the bounds PostgreSQL looks into the partitions concerned only
--
-- moves: waiting → cancelled, held → cancelled, due → cancelled
-- locks: none (delivery_lock_part or repair_lock_open_records has them)
-- indexes: callouts_pkey, open_callouts_pkey
WITH closed AS (
  DELETE FROM open_callouts WHERE callout_id = ANY($1::uuid[]) AND state = ANY($2::text[])
  RETURNING callout_id, record_id, lease_owner
), leased AS MATERIALIZED (
  SELECT callout_id, lease_owner FROM closed WHERE lease_owner IS NOT NULL
), stamped AS (
  UPDATE callouts c SET state = 'cancelled', finished_at = now(),
    cancelled_lease = (SELECT lease_owner FROM leased WHERE leased.callout_id = c.id)
  WHERE c.id = ANY(ARRAY(SELECT callout_id FROM closed)) AND c.id BETWEEN $3 AND $4
)
SELECT record_id AS "recordId" FROM closed

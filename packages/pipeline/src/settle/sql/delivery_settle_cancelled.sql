-- Settles callouts that were cancelled while they were being sent. A 2xx shows that the receiver has it; any other
-- result is only stored. In the order of the ids, in which redelivery locks ended callouts.
--
-- $1 uuid[]  callouts
-- $2 uuid[]  their leases
-- $3 bool[]  whether each was delivered
-- $4 uuid    the lowest id
-- $5 uuid    the highest
--
-- moves: cancelled → delivered
-- locks: callouts
-- indexes: callouts_pkey
UPDATE callouts c SET cancelled_lease = NULL, state = CASE WHEN r.is_delivered THEN 'delivered' ELSE c.state END,
  finished_at = CASE WHEN r.is_delivered THEN now() ELSE c.finished_at END
FROM unnest($1::uuid[], $2::uuid[], $3::bool[]) AS r (id, lease, is_delivered)
WHERE c.id = r.id AND c.id = ANY($1::uuid[]) AND c.id BETWEEN $4 AND $5 AND c.state = 'cancelled'
  AND c.cancelled_lease = r.lease
RETURNING c.id

-- Stores the results of leases that are settled: an acknowledgement may come again.
--
-- $1 uuid[]  names of leases
-- $2 text[]  outcomes: acked, nacked or lapsed
--
-- locks: none
-- indexes: pull_leases_pkey
UPDATE pull_leases p SET outcome = coalesce(p.outcome, e.outcome)
FROM unnest($1::uuid[], $2::text[]) AS e (id, outcome)
WHERE p.id = e.id AND p.id = ANY($1::uuid[])

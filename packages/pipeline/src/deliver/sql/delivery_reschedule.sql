-- Ends a lease under which the receiver was not asked; the callout is due again after a wait.
--
-- $1 uuid              callout
-- $2 uuid              its lease
-- $3 double precision  the wait, in ms
--
-- locks: open_callouts
-- indexes: open_callouts_pkey
UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL, due_at = now() + $3 * interval '1 millisecond'
WHERE callout_id = $1 AND lease_owner = $2

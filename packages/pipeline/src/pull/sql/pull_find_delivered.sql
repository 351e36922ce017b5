-- Finds the callouts among some that were delivered.
--
-- $1 uuid[]  callouts
--
-- locks: none
-- indexes: callouts_pkey
SELECT d.id FROM unnest($1::uuid[]) AS u (id),
  LATERAL (SELECT id, state FROM callouts WHERE id = u.id OFFSET 0) AS d WHERE d.state = 'delivered'

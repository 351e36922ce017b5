-- Writes the health of receivers. A result of a pulled callout shows that the program fetches.
--
-- $1 bigint[]       keys of the webhooks
-- $2 int[]          callouts failed in a row
-- $3 int[]          attempts in a row that found the receiver down
-- $4 timestamptz[]  failing since
-- $5 text[]         the last failure
-- $6 timestamptz[]  paused until
-- $7 int[]          pauses in a row
-- $8 uuid[]         the lease of the probe
-- $9 timestamptz[]  when the next probe is made
-- $10 bigint[]      number of the callout of the last probe that was refused
--
-- locks: none (health_lock has them)
-- indexes: webhook_health_pkey
UPDATE webhook_health h SET failed_in_row = n.failed_in_row, down_in_row = n.down_in_row,
  failing_since = n.failing_since, last_failure = n.last_failure, paused_until = n.paused_until, pauses = n.pauses,
  probe_lease = n.probe_lease, probe_at = n.probe_at, refused_number = n.refused_number, is_unfetched = false
FROM unnest($1::bigint[], $2::int[], $3::int[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::int[], $8::uuid[],
    $9::timestamptz[], $10::bigint[])
  AS n (key, failed_in_row, down_in_row, failing_since, last_failure, paused_until, pauses, probe_lease, probe_at,
    refused_number)
WHERE h.webhook_key = n.key

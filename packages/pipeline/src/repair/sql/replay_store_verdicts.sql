-- Stores the verdicts of replayed events.
--
-- $1 uuid[]  events
-- $2 json    verdicts, one array each
-- $3 uuid    the lowest id
-- $4 uuid    the highest id
--
-- locks: none (replay_lock_events has the verdicts)
-- indexes: event_matches_pkey
UPDATE event_matches m SET verdicts = n.verdicts
FROM (SELECT id, verdicts FROM unnest($1::uuid[]) WITH ORDINALITY AS i (id, nth)
  JOIN json_array_elements($2::json) WITH ORDINALITY AS v (verdicts, nth) USING (nth)) AS n
WHERE m.event_id = n.id AND m.event_id = ANY($1::uuid[]) AND m.event_id BETWEEN $3 AND $4

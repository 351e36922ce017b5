-- Reads how long the bodies of callouts are that payload_read_bodies would read, without reading them: the characters of
-- the event, or the bytes of a body that is stored. With the bounds PostgreSQL looks into the partitions concerned only.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest of them
-- $3 uuid    the highest
-- $4 uuid    the lowest id that an event of theirs may have
-- $5 uuid    the highest
--
-- locks: none
-- indexes: callout_bodies_pkey, callouts_pkey, events_pkey
SELECT c.id, coalesce(b.length, e.characters, 0) AS length
FROM unnest($1::uuid[]) AS n (id), LATERAL (
  SELECT id, event_id, layout_id FROM callouts WHERE id = n.id AND id BETWEEN $2 AND $3 OFFSET 0
) AS c LEFT JOIN LATERAL (
  SELECT octet_length(body) AS length FROM callout_bodies
  WHERE c.layout_id IS NULL AND callout_id = c.id AND callout_id BETWEEN $2 AND $3 OFFSET 0
) AS b ON true LEFT JOIN LATERAL (
  SELECT characters FROM events WHERE c.layout_id IS NOT NULL AND id = c.event_id AND id BETWEEN $4 AND $5 OFFSET 0
) AS e ON true

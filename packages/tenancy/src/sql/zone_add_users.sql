-- Adds users to a zone, or moves them there.
--
-- $1 int     zone
-- $2 text[]  folded user names
--
-- locks: none
-- indexes: none
INSERT INTO zone_users (user_name_folded, zone_id) SELECT unnest($2::text[]), $1
ON CONFLICT (user_name_folded) DO UPDATE SET zone_id = excluded.zone_id

-- Removes users that a zone has no longer.
--
-- $1 int     zone
-- $2 text[]  folded names of the present users
--
-- locks: none
-- indexes: zone_users_zone_id_idx
DELETE FROM zone_users WHERE zone_id = $1 AND user_name_folded <> ALL($2::text[])

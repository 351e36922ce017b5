-- Lifts the lock of a user name.
--
-- $1 bytea  hash of the user name
-- $2 text   address, or null for all addresses
--
-- locks: none
-- indexes: sign_in_failures_pkey
DELETE FROM sign_in_failures WHERE user_name_hash = $1 AND ($2::text IS NULL OR address = $2)
RETURNING is_locked AND expires_at > now() AS "wasLocked"

-- Deletes expired sessions of the console.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: console_sessions_expires_at_idx, console_sessions_pkey
DELETE FROM console_sessions WHERE token_hash = ANY(ARRAY(SELECT token_hash FROM console_sessions WHERE expires_at < now() LIMIT $1))
RETURNING 1

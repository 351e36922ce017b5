-- Deletes expired links to a session of the console.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: console_links_expires_at_idx, console_links_pkey
DELETE FROM console_links WHERE token_hash = ANY(ARRAY(SELECT token_hash FROM console_links WHERE expires_at < now() LIMIT $1))
RETURNING 1

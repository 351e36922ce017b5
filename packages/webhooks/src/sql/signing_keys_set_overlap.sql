-- Sets the end of the overlap again.
--
-- $1 int  tenant
-- $2 int  hours from now
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
UPDATE signing_keys SET previous_until = now() + $2::int * interval '1 hour' WHERE tenant_id = $1

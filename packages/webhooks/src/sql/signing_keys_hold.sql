-- Holds the signing key of a tenant: no rotation begins before the end of the transaction.
--
-- $1 int  tenant
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
SELECT FROM signing_keys WHERE tenant_id = $1 FOR SHARE

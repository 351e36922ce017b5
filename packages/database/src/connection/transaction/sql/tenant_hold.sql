-- Keeps a tenant here until the end of the transaction.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
SELECT state = 'active' AS "isServed" FROM tenants WHERE id = $1 FOR SHARE

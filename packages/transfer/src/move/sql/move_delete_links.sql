-- Deletes all links of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: none
DELETE FROM console_links WHERE tenant_id = $1

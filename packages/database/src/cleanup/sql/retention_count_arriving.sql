-- Counts tenants that are being moved here. The open callouts of a tenant arrive last: until then nothing here shows
-- which history they need.
--
-- locks: none
-- indexes: none
SELECT count(*)::int AS count FROM tenants WHERE state = 'arriving' AND deleting_at IS NULL

-- Reads the migrations of a database.
--
-- locks: none
-- indexes: none
SELECT string_agg(migration_name, ' ' ORDER BY migration_name) AS names FROM _prisma_migrations
WHERE rolled_back_at IS NULL

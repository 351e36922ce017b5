-- Reads the clock of the database.
--
-- locks: none
-- indexes: none
SELECT clock_timestamp() AS now

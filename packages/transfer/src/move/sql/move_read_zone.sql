-- Reads the URL of a zone.
--
-- $1 text  name of the zone
--
-- locks: none
-- indexes: zones_name_key
SELECT url FROM zones WHERE name = $1

-- A time in the past by the clock of the database.
--
-- $1 double precision  how long ago, in ms
--
-- locks: none
-- indexes: none
SELECT now() - $1::double precision * interval '1 millisecond' AS before

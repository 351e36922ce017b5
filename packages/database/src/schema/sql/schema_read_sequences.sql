-- Reads the sequences as SQL.
--
-- locks: none
-- indexes: none
SELECT format('CREATE SEQUENCE %I AS %s MINVALUE %s MAXVALUE %s START WITH %s INCREMENT BY %s%s;', sequencename, data_type,
  min_value, max_value, start_value, increment_by, CASE WHEN cycle THEN ' CYCLE' ELSE '' END) AS text
FROM pg_sequences WHERE schemaname = 'public' ORDER BY sequencename COLLATE "C"

-- Begins a test of the alerts, in place of an earlier test.
--
-- locks: none (installation_alerts is locked by nothing else)
-- indexes: none
INSERT INTO installation_alerts (name, detail) VALUES ('test', '')
ON CONFLICT (name) DO UPDATE SET since = now(), seen_at = now(), detail = '' RETURNING since

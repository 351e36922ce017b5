-- Raises an alert, or notes that its cause was seen again.
--
-- $1 text         name of the alert
-- $2 text         what is wrong
-- $3 timestamptz  since when; null: now
--
-- locks: none (installation_alerts is locked by nothing else)
-- indexes: none
INSERT INTO installation_alerts (name, detail, since) VALUES ($1, $2, coalesce($3::timestamptz, now()))
ON CONFLICT (name) DO UPDATE SET seen_at = now() RETURNING xmax = 0 AS "isNew", since

-- Ends alerts whose cause was not seen for a while.
--
-- $1 text[]            names of the alerts
-- $2 double precision  the while, in ms
--
-- locks: none (installation_alerts is locked by nothing else)
-- indexes: installation_alerts_pkey
DELETE FROM installation_alerts WHERE name = ANY($1::text[]) AND seen_at <= now() - $2 * interval '1 millisecond'
RETURNING name, detail, since, now() AS until

-- Marks the test as taken by a worker, which sends its messages.
--
-- $1 text  the channels: `mail` or `url`
--
-- locks: none (installation_alerts is locked by nothing else)
-- indexes: installation_alerts_pkey
UPDATE installation_alerts SET detail = $1 WHERE name = 'test' AND detail = ''
RETURNING since, 'test ' || extract(epoch FROM since) AS occasion

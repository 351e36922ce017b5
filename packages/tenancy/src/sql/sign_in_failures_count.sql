-- Counts failed authentications of user names and addresses, and locks a pair after too many. A locked pair stays
-- unchanged until the lock ends.
--
-- $1 bytea[]           hashes of the user names
-- $2 text[]            addresses of the clients
-- $3 int[]             failures of each pair
-- $4 int               failures that lock a pair
-- $5 double precision  seconds for which failures count
--
-- locks: none
-- indexes: none
INSERT INTO sign_in_failures AS f (user_name_hash, address, failed_at, is_locked, expires_at)
SELECT s.user_name_hash, s.address, array_fill(now(), ARRAY[s.failures]), s.failures >= $4,
  now() + $5 * interval '1 second'
FROM unnest($1::bytea[], $2::text[], $3::int[]) AS s (user_name_hash, address, failures)
ORDER BY s.user_name_hash, s.address
ON CONFLICT (user_name_hash, address) DO UPDATE SET (failed_at, is_locked, expires_at) = (
  SELECT counted, cardinality(counted) >= $4, excluded.expires_at
  FROM (SELECT array(SELECT at FROM unnest(f.failed_at) AS at WHERE at > now() - $5 * interval '1 second')
    || excluded.failed_at AS counted) AS sum
)
WHERE NOT f.is_locked OR f.expires_at <= now()
RETURNING user_name_hash AS "userNameHash", address, cardinality(failed_at) AS failures, is_locked AS "isLocked"

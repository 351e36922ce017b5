-- Locks the callouts that are settled and returns their lease owners. In the order in which match locks the callouts
-- that it puts others behind (webhook, record). The next statement sees what match has put behind them by then, and
-- nothing more can come until the transaction ends.
--
-- $1 uuid[]  callouts
--
-- locks: open_callouts
-- indexes: open_callouts_pkey
SELECT callout_id, lease_owner FROM open_callouts WHERE callout_id = ANY($1::uuid[])
ORDER BY webhook_key, record_id FOR UPDATE

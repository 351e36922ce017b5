-- Finds the callout that a merged callout was merged into; its number is null when the carrier is no longer stored.
--
-- $1 uuid  callout
--
-- locks: none
-- indexes: callouts_pkey
SELECT c.merged_into AS "carrierId", (SELECT sequence_number FROM callouts WHERE id = c.merged_into) AS "carrierSequence"
FROM callouts c WHERE id = $1 AND state = 'merged'

-- Reads public keys by their public id.
--
-- $1 uuid  public id
--
-- locks: none
-- indexes: signing_keys_id_key
SELECT id, public_key AS "publicKey", created_at AS "createdAt",
  previous_public_key AS "previousPublicKey", previous_created_at AS "previousCreatedAt",
  CASE WHEN previous_until > now() THEN previous_until END AS "previousUntil"
FROM signing_keys WHERE id = $1

-- Makes webhooks inactive, or deleted; one that is inactive already stays as it is unless it is deleted. Takes a
-- sequence number each for the deactivation call, and reads what its format needs.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bool      whether they are deleted
--
-- locks: none (the caller has the webhooks)
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
UPDATE webhooks SET is_active = false, deleted_at = CASE WHEN $2 THEN now() END, version = version + 1,
  last_sequence = last_sequence + 1, updated_at = now(), is_cancelling = EXISTS (
    SELECT FROM open_callouts o WHERE o.webhook_key = webhooks.key AND o.kind <> 'deactivation')
WHERE key = ANY($1::bigint[]) AND deleted_at IS NULL AND (is_active OR $2)
RETURNING key AS "webhookKey", tenant_id AS "tenantId", entity_type AS "entityType", id, guid,
  last_sequence AS "sequenceNumber", now() AS at, certificate_told_days IS NOT NULL AS "hasToldOfCertificate", payload_format AS "payloadFormat",
  CASE WHEN payload_format = 'cloudevents' THEN (
    SELECT json_build_object('zoneGuid', z.guid, 'zoneName', z.name, 'zoneUrl', z.url, 'tenantName', t.name)
    FROM tenants t, LATERAL (SELECT * FROM zones WHERE id = t.zone_id OFFSET 0) AS z WHERE t.id = webhooks.tenant_id
  ) END AS place

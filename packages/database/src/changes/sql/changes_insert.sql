-- Stores changes, with the user name of each credential as it is now.
--
-- $1 uuid[]    ids
-- $2 int[]     tenants
-- $3 bigint[]  keys of webhooks, or null
-- $4 text[]    kinds of the changed things
-- $5 int[]     ids of the changed things
-- $6 text[]    actions
-- $7 text[]    causes
-- $8 text[]    kinds of the actors
-- $9 int[]     resources of the actors
-- $10 int[]    credentials of the actors
-- $11 json[]   changed fields
-- $12 text[]   details
--
-- locks: none
-- indexes: credentials_pkey
INSERT INTO changes (id, tenant_id, webhook_key, entity, entity_id, action, cause, actor_kind, actor_resource_id,
  actor_user_name, fields, detail)
SELECT n.id, n.tenant_id, n.webhook_key, n.entity, n.entity_id, n.action, n.cause, n.actor_kind, n.actor_resource_id,
  (SELECT c.user_name FROM credentials c WHERE c.id = n.credential_id), n.fields, n.detail
FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[], $9::int[],
  $10::int[], $11::json[], $12::text[]) AS n (id, tenant_id, webhook_key, entity, entity_id, action, cause, actor_kind,
  actor_resource_id, credential_id, fields, detail)

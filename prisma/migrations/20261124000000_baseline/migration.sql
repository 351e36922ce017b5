-- The tables of Callout, in the order in which an event passes them. prisma/schema.prisma says what each column means.
-- Here is also what Prisma cannot say, with its reason: partitions, partial and GIN indexes, checks, storage settings.
--
-- History tables are PARTITION BY RANGE on their own time-ordered UUID (version 7), so that the primary key is one column
-- and retention drops a day at a time. The application creates the partitions, a week ahead. There is no default
-- partition, because creating any other partition would scan it.
--
-- Work tables (pending_events, open_callouts) are small and not partitioned. All of their rows are replaced all the time,
-- so they are vacuumed by the number of dead rows instead of a share, and without pauses; otherwise their indexes fill
-- with entries of deleted rows.
--
-- Times that are compared with now() have its precision, TIMESTAMPTZ(6). Rounded to milliseconds, a row that is due now
-- would be due up to half a millisecond later, and a worker that looks at once would miss it until the next sweep.

-- Tenants and credentials -------------------------------------------------------------------------------------------

CREATE TABLE zones (
  id         SERIAL  NOT NULL,
  -- Two installations have zones of the same name, such as default. It names the installation in CloudEvents.
  guid       UUID    NOT NULL DEFAULT gen_random_uuid(),
  name       TEXT    NOT NULL,
  url        TEXT    NOT NULL,
  web_url    TEXT    NOT NULL,
  is_default BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT zones_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX zones_name_key ON zones (name);
-- At most one default zone.
CREATE UNIQUE INDEX zones_default ON zones (is_default) WHERE is_default;

-- Users whose tenant is in another installation: who asks for their zone is sent there.
CREATE TABLE zone_users (
  user_name_folded TEXT    NOT NULL,
  zone_id          INTEGER NOT NULL,
  CONSTRAINT zone_users_pkey PRIMARY KEY (user_name_folded),
  CONSTRAINT zone_users_zone_id_fkey FOREIGN KEY (zone_id) REFERENCES zones (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX zone_users_zone_id_idx ON zone_users (zone_id);

CREATE TABLE tenants (
  id                    SERIAL         NOT NULL,
  name                  TEXT           NOT NULL,
  zone_id               INTEGER        NOT NULL,
  callout_threshold     INTEGER,
  api_requests_per_hour INTEGER,
  created_at            TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- A tenant is marked before it is erased, so that an interrupted erasure can continue.
  deleting_at           TIMESTAMPTZ(3),
  erased_at             TIMESTAMPTZ(3),
  -- The gate of a move to another zone: only an active tenant is served here. Its changes and each claim of its callouts
  -- read it.
  state                 TEXT           NOT NULL DEFAULT 'active',
  CONSTRAINT tenants_pkey PRIMARY KEY (id),
  CONSTRAINT tenants_state CHECK (state IN ('active', 'arriving', 'moving', 'left')),
  CONSTRAINT tenants_zone_id_fkey FOREIGN KEY (zone_id) REFERENCES zones (id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX tenants_name_key ON tenants (name);
-- Workers ask for the tenants that are being deleted every few seconds.
CREATE INDEX tenants_deleting ON tenants (id) WHERE deleting_at IS NOT NULL;

CREATE TABLE resources (
  tenant_id           INTEGER NOT NULL,
  id                  INTEGER NOT NULL,
  email               TEXT    NOT NULL,
  is_active           BOOLEAN NOT NULL DEFAULT true,
  can_create_webhooks BOOLEAN NOT NULL DEFAULT false,
  fields              JSON    NOT NULL DEFAULT '{}',
  deleted_at          TIMESTAMPTZ(3),
  CONSTRAINT resources_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT resources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants (id)
    ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE TABLE credentials (
  id                   SERIAL         NOT NULL,
  tenant_id            INTEGER        NOT NULL,
  resource_id          INTEGER        NOT NULL,
  user_name            TEXT           NOT NULL,
  user_name_folded     TEXT           NOT NULL,
  api_integration_code TEXT           NOT NULL,
  secret_hash          BYTEA          NOT NULL,
  -- An imported secret may be short, so it is hashed with scrypt; cost and salt are here. Null: SHA-256 of a generated one.
  secret_scrypt        TEXT,
  role                 TEXT           NOT NULL,
  created_at           TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at           TIMESTAMPTZ(3),
  CONSTRAINT credentials_pkey PRIMARY KEY (id),
  CONSTRAINT credentials_role CHECK (role IN ('integrator', 'source', 'admin')),
  CONSTRAINT credentials_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id)
    REFERENCES resources (tenant_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX credentials_user_name_folded_key ON credentials (user_name_folded);
CREATE INDEX credentials_tenant_id_resource_id_idx ON credentials (tenant_id, resource_id);

-- Sessions of the console, and links that begin one. Both hold digests only: the tokens are with those who use them.
CREATE TABLE console_sessions (
  token_hash    BYTEA          NOT NULL,
  kind          TEXT           NOT NULL,
  tenant_id     INTEGER,
  resource_id   INTEGER,
  credential_id INTEGER,
  proof         BYTEA,
  webhook_key   BIGINT,
  created_at    TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at    TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT console_sessions_kind CHECK (kind IN ('user', 'portal', 'operator')),
  CONSTRAINT console_sessions_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id)
    REFERENCES resources (tenant_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT console_sessions_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX console_sessions_tenant_id_resource_id_idx ON console_sessions (tenant_id, resource_id);
CREATE INDEX console_sessions_credential_id_idx ON console_sessions (credential_id);
CREATE INDEX console_sessions_expires_at_idx ON console_sessions (expires_at);

CREATE TABLE console_links (
  token_hash    BYTEA          NOT NULL,
  kind          TEXT           NOT NULL,
  tenant_id     INTEGER,
  resource_id   INTEGER,
  credential_id INTEGER,
  proof         BYTEA,
  webhook_key   BIGINT,
  expires_at    TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT console_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT console_links_kind CHECK (kind IN ('user', 'portal', 'operator'))
);
CREATE INDEX console_links_expires_at_idx ON console_links (expires_at);

-- While secrets are being guessed, all rows of this table are replaced every 15 minutes: vacuum by the number of dead rows.
CREATE TABLE sign_in_failures (
  user_name_hash BYTEA          NOT NULL,
  address        TEXT           NOT NULL,
  failed_at      TIMESTAMPTZ(3)[],
  is_locked      BOOLEAN        NOT NULL,
  expires_at     TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (user_name_hash, address)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);
CREATE INDEX sign_in_failures_expires_at_idx ON sign_in_failures (expires_at);

-- Every batch updates the next id: half-empty pages let that be an update in place.
CREATE TABLE counters (
  tenant_id  INTEGER NOT NULL,
  collection TEXT    NOT NULL,
  next_id    BIGINT  NOT NULL DEFAULT 1,
  CONSTRAINT counters_pkey PRIMARY KEY (tenant_id, collection)
) WITH (fillfactor = 50);

CREATE TABLE udf_definitions (
  tenant_id    INTEGER NOT NULL,
  id           INTEGER NOT NULL,
  entity_type  TEXT    NOT NULL,
  name         TEXT    NOT NULL,
  name_folded  TEXT    NOT NULL,
  label        TEXT    NOT NULL,
  label_folded TEXT    NOT NULL,
  data_type    TEXT    NOT NULL,
  list_values  JSON,
  CONSTRAINT udf_definitions_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT udf_definitions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants (id)
    ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX udf_definitions_tenant_id_entity_type_name_folded_key
  ON udf_definitions (tenant_id, entity_type, name_folded);
CREATE UNIQUE INDEX udf_definitions_tenant_id_entity_type_label_folded_key
  ON udf_definitions (tenant_id, entity_type, label_folded);

-- Webhooks ----------------------------------------------------------------------------------------------------------

-- Deleting a resource keeps its row, so the foreign keys to resources never stand in its way. Only erasing a tenant
-- deletes rows of resources, after those of webhooks.

-- Every match updates last_sequence: half-empty pages let that be an update in place.
CREATE TABLE webhooks (
  key                                  BIGSERIAL      NOT NULL,
  tenant_id                            INTEGER        NOT NULL,
  entity_type                          TEXT           NOT NULL,
  id                                   INTEGER        NOT NULL,
  guid                                 UUID           NOT NULL,
  name                                 TEXT           NOT NULL,
  webhook_url                          TEXT           NOT NULL,
  delivery_mode                        TEXT           NOT NULL DEFAULT 'push',
  deactivation_url                     TEXT           NOT NULL,
  deactivation_mode                    TEXT           NOT NULL DEFAULT 'push',
  is_active                            BOOLEAN        NOT NULL,
  -- The backlog of a deactivated webhook is cancelled in parts, after the transaction that deactivates it.
  is_cancelling                        BOOLEAN        NOT NULL DEFAULT false,
  activated_at                         TIMESTAMPTZ(6),
  expires_at                           TIMESTAMPTZ(3),
  is_subscribed_to_create_events       BOOLEAN        NOT NULL,
  is_subscribed_to_update_events       BOOLEAN        NOT NULL,
  is_subscribed_to_delete_events       BOOLEAN        NOT NULL,
  send_threshold_exceeded_notification BOOLEAN        NOT NULL,
  merge_while_waiting                  BOOLEAN        NOT NULL DEFAULT false,
  -- What its owner limits its calls to; null: no limit of its own.
  max_calls_per_second                 DOUBLE PRECISION,
  max_concurrent_calls                 INTEGER,
  notification_email_address           TEXT,
  include_previous_values              BOOLEAN        NOT NULL DEFAULT false,
  payload_format                       TEXT           NOT NULL DEFAULT 'reference',
  alert_format                         TEXT           NOT NULL DEFAULT 'json',
  owner_resource_id                    INTEGER        NOT NULL,
  condition                            TEXT,
  request_headers                      TEXT NOT NULL DEFAULT '[]',
  receiver_auth                        TEXT NOT NULL DEFAULT '{"kind":"none"}',
  ca_certificate                       TEXT,
  receiver_key_id                      TEXT,
  receiver_nonce                       BYTEA,
  receiver_ciphertext                  BYTEA,
  certificate_expires_at               TIMESTAMPTZ(3),
  certificate_told_days                SMALLINT,
  signature_kind                       TEXT           NOT NULL DEFAULT 'hmac',
  secret_key_id                        TEXT           NOT NULL,
  secret_nonce                         BYTEA          NOT NULL,
  secret_ciphertext                    BYTEA          NOT NULL,
  previous_secret_key_id               TEXT,
  previous_secret_nonce                BYTEA,
  previous_secret_ciphertext           BYTEA,
  previous_secret_until                TIMESTAMPTZ(3),
  version                              INTEGER        NOT NULL DEFAULT 1,
  last_sequence                        BIGINT         NOT NULL DEFAULT 0,
  created_at                           TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at                           TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at                           TIMESTAMPTZ(3),
  -- Its tenant is being moved to another zone: nothing is matched, claimed or changed.
  CONSTRAINT webhooks_pkey PRIMARY KEY (key),
  -- The URLs stay as they were written; the modes are what statements go by.
  CONSTRAINT webhooks_delivery_mode CHECK (delivery_mode = CASE webhook_url WHEN 'pull:' THEN 'pull' ELSE 'push' END),
  CONSTRAINT webhooks_deactivation_mode CHECK (
    deactivation_mode = CASE deactivation_url WHEN 'pull:' THEN 'pull' ELSE 'push' END),
  -- Activating it would bring back callouts that are being cancelled.
  CONSTRAINT webhooks_cancelling_is_inactive CHECK (NOT (is_active AND is_cancelling)),
  CONSTRAINT webhooks_signature_kind CHECK (signature_kind IN ('hmac', 'ed25519', 'both')),
  CONSTRAINT webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants (id)
    ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT webhooks_tenant_id_owner_resource_id_fkey FOREIGN KEY (tenant_id, owner_resource_id)
    REFERENCES resources (tenant_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX webhooks_guid_key ON webhooks (guid);
CREATE UNIQUE INDEX webhooks_tenant_id_entity_type_id_key ON webhooks (tenant_id, entity_type, id);
-- Match reads the webhooks of an entity; deleted ones would only accumulate here.
CREATE INDEX webhooks_matching ON webhooks (tenant_id, entity_type) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_cancelling ON webhooks (key) WHERE is_cancelling;
-- Few: those of programs that run now, and those whose callouts are fetched.
CREATE INDEX webhooks_expiring ON webhooks (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;
-- Client certificates that expire soon: most webhooks have none.
CREATE INDEX webhooks_certificates ON webhooks (certificate_expires_at)
  WHERE certificate_expires_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX webhooks_pulled ON webhooks (key) WHERE delivery_mode = 'pull' OR deactivation_mode = 'pull';

CREATE TABLE signing_keys (
  tenant_id           INTEGER        NOT NULL,
  id                  UUID           NOT NULL,
  public_key          BYTEA          NOT NULL,
  created_at          TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  key_id              TEXT           NOT NULL,
  nonce               BYTEA          NOT NULL,
  ciphertext          BYTEA          NOT NULL,
  previous_public_key BYTEA,
  previous_created_at TIMESTAMPTZ(3),
  previous_key_id     TEXT,
  previous_nonce      BYTEA,
  previous_ciphertext BYTEA,
  previous_until      TIMESTAMPTZ(3),
  CONSTRAINT signing_keys_pkey PRIMARY KEY (tenant_id)
);
CREATE UNIQUE INDEX signing_keys_id_key ON signing_keys (id);

CREATE TABLE webhook_fields (
  tenant_id               INTEGER NOT NULL,
  entity_type             TEXT    NOT NULL,
  id                      INTEGER NOT NULL,
  webhook_key             BIGINT  NOT NULL,
  field_id                INTEGER NOT NULL,
  is_subscribed_field     BOOLEAN NOT NULL,
  is_display_always_field BOOLEAN NOT NULL,
  CONSTRAINT webhook_fields_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_fields_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks (key)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_fields_webhook_key_field_id_key ON webhook_fields (webhook_key, field_id);

CREATE TABLE webhook_udf_fields (
  tenant_id               INTEGER NOT NULL,
  entity_type             TEXT    NOT NULL,
  id                      INTEGER NOT NULL,
  webhook_key             BIGINT  NOT NULL,
  udf_field_id            INTEGER NOT NULL,
  is_subscribed_field     BOOLEAN NOT NULL,
  is_display_always_field BOOLEAN NOT NULL,
  CONSTRAINT webhook_udf_fields_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_udf_fields_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks (key)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT webhook_udf_fields_tenant_id_udf_field_id_fkey FOREIGN KEY (tenant_id, udf_field_id)
    REFERENCES udf_definitions (tenant_id, id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_udf_fields_webhook_key_udf_field_id_key ON webhook_udf_fields (webhook_key, udf_field_id);
CREATE INDEX webhook_udf_fields_tenant_id_udf_field_id_idx ON webhook_udf_fields (tenant_id, udf_field_id);

CREATE TABLE webhook_excluded_resources (
  tenant_id   INTEGER NOT NULL,
  entity_type TEXT    NOT NULL,
  id          INTEGER NOT NULL,
  webhook_key BIGINT  NOT NULL,
  resource_id INTEGER NOT NULL,
  CONSTRAINT webhook_excluded_resources_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_excluded_resources_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks (key)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT webhook_excluded_resources_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id)
    REFERENCES resources (tenant_id, id) ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_excluded_resources_webhook_key_resource_id_key
  ON webhook_excluded_resources (webhook_key, resource_id);
CREATE INDEX webhook_excluded_resources_tenant_id_resource_id_idx
  ON webhook_excluded_resources (tenant_id, resource_id);

-- fields: [{"field": "name", "from": "old", "to": "new"}], without any secret. entity_id is null for a webhook, which
-- webhook_key names, and for the signing key of a tenant.
CREATE TABLE changes (
  id                UUID           NOT NULL,
  tenant_id         INTEGER        NOT NULL,
  webhook_key       BIGINT,
  at                TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  entity            TEXT           NOT NULL,
  entity_id         INTEGER,
  action            TEXT           NOT NULL,
  cause             TEXT           NOT NULL,
  actor_kind        TEXT           NOT NULL,
  actor_resource_id INTEGER,
  actor_user_name   TEXT,
  fields            JSON           NOT NULL,
  detail            TEXT,
  CONSTRAINT changes_pkey PRIMARY KEY (id)
);
CREATE INDEX changes_tenant_id_id_idx ON changes (tenant_id, id);
CREATE INDEX changes_webhook_key_id_idx ON changes (webhook_key, id);
-- The hourly clean-up looks for old pauses among all other changes, which are kept for longer.
CREATE INDEX changes_pauses ON changes (id) WHERE action IN ('paused', 'resumed');

-- Ingest ------------------------------------------------------------------------------------------------------------

-- Queries compare values without regard to case. PostgreSQL folds ASCII itself, in any locale; values with other characters
-- are in folded, folded by the application, since lower() depends on the locale of the database: {"city": "köln"}.
-- terms are hashes of tenant, entity, field and folded value, one for each value that is not empty.
-- They are indexed and change with every update, so no update is made in place and free room in the pages would be of no
-- use. A row of more than 2 kB is not worth compressing at every change and every read; one of more than 4 kB is.
CREATE TABLE records (
  tenant_id   INTEGER NOT NULL,
  entity_type TEXT    NOT NULL,
  id          BIGINT  NOT NULL,
  version     BIGINT  NOT NULL,
  fields      JSONB   NOT NULL,
  udf_fields  JSONB   NOT NULL,
  folded      JSONB,
  terms       BIGINT[],
  deleted_at  TIMESTAMPTZ(3),
  CONSTRAINT records_pkey PRIMARY KEY (tenant_id, entity_type, id)
) WITH (toast_tuple_target = 4080);
-- One index answers eq and in for every field and user-defined field of every entity of every tenant. An entry is a hash,
-- so long texts take no more room, and since the tenant is part of it, the cost of a tenant's query does not depend on what
-- other tenants have stored.
-- A change of a record adds an entry for each of its values. They go to the pending list first, from where many are merged
-- into the index at once; without it a change costs more than twice as much. But every lookup reads the whole list, and the
-- commit that fills it has to merge it: at 256 kB lookups stay below a millisecond and merging is spread over the commits.
CREATE INDEX records_terms ON records USING gin (terms) WITH (gin_pending_list_limit = 256);
-- Statistics of hashes and documents help no plan. Without them a lookup has the same plan before and after every ANALYZE,
-- and ANALYZE need not sort them.
ALTER TABLE records ALTER COLUMN terms SET STATISTICS 0, ALTER COLUMN fields SET STATISTICS 0,
  ALTER COLUMN udf_fields SET STATISTICS 0, ALTER COLUMN folded SET STATISTICS 0;

CREATE TABLE events (
  id             UUID           NOT NULL,
  tenant_id      INTEGER        NOT NULL,
  entity_type    TEXT           NOT NULL,
  record_id      BIGINT         NOT NULL,
  record_version BIGINT         NOT NULL,
  action         TEXT           NOT NULL,
  person_id      INTEGER        NOT NULL,
  event_key      TEXT,
  event_time     TIMESTAMPTZ(0) NOT NULL,
  accepted_at    TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  changed_fields TEXT[],
  changed_udfs   INTEGER[],
  fields         JSON           NOT NULL,
  udf_fields     JSON           NOT NULL,
  trace_parent   TEXT,
  previous       JSON,
  characters     INTEGER        NOT NULL DEFAULT 0,
  CONSTRAINT events_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_tenant_id_id_idx ON events (tenant_id, id);
-- Finds the events of one record in the log without reading all of the tenant's.
CREATE INDEX events_tenant_id_record_id_idx ON events (tenant_id, record_id);
-- Finds an event by its caller's eventID for as long as the event is kept.
CREATE INDEX events_by_key ON events (tenant_id, event_key) WHERE event_key IS NOT NULL;

-- Keys expire all the time and new ones fill their pages, so a block range would soon span all ages: these two tables have
-- B-trees on the time, not BRIN.
CREATE TABLE event_keys (
  tenant_id    INTEGER        NOT NULL,
  event_key    TEXT           NOT NULL,
  event_id     UUID           NOT NULL,
  content_hash BYTEA          NOT NULL,
  accepted_at  TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT event_keys_pkey PRIMARY KEY (tenant_id, event_key)
);
CREATE INDEX event_keys_accepted_at_idx ON event_keys (accepted_at);

CREATE TABLE idempotency_keys (
  credential_id INTEGER        NOT NULL,
  route         TEXT           NOT NULL,
  key           TEXT           NOT NULL,
  request_hash  BYTEA          NOT NULL,
  status        INTEGER        NOT NULL,
  body          TEXT           NOT NULL,
  created_at    TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (credential_id, route, key)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);

-- Match -------------------------------------------------------------------------------------------------------------

CREATE TABLE pending_events (
  event_id       UUID           NOT NULL,
  tenant_id      INTEGER        NOT NULL,
  entity_type    TEXT           NOT NULL,
  record_id      BIGINT         NOT NULL,
  record_version BIGINT         NOT NULL,
  enqueue_at     TIMESTAMPTZ(6) NOT NULL,
  enqueue_count  INTEGER        NOT NULL DEFAULT 0,
  CONSTRAINT pending_events_pkey PRIMARY KEY (event_id)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);
CREATE INDEX pending_events_tenant_id_entity_type_record_id_record_versi_idx
  ON pending_events (tenant_id, entity_type, record_id, record_version);
CREATE INDEX pending_events_enqueue_at_idx ON pending_events (enqueue_at);

CREATE TABLE event_matches (
  event_id   UUID           NOT NULL,
  tenant_id  INTEGER        NOT NULL,
  matched_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  verdicts   JSON           NOT NULL,
  CONSTRAINT event_matches_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);

CREATE TABLE callouts (
  id              UUID    NOT NULL,
  tenant_id       INTEGER NOT NULL,
  webhook_key     BIGINT  NOT NULL,
  sequence_number BIGINT  NOT NULL,
  event_id        UUID,
  entity_type     TEXT    NOT NULL,
  record_id       BIGINT  NOT NULL,
  action          TEXT    NOT NULL,
  state           TEXT    NOT NULL DEFAULT 'open',
  finished_at     TIMESTAMPTZ(3),
  kind            TEXT    NOT NULL DEFAULT 'event',
  cancelled_lease UUID,
  layout_id       BIGINT,
  merged_into     UUID,
  is_replayed     BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT callouts_pkey PRIMARY KEY (id),
  CONSTRAINT callouts_state CHECK (state IN ('open', 'delivered', 'failed', 'cancelled', 'merged')),
  CONSTRAINT callouts_kind CHECK (kind IN ('event', 'deactivation', 'test'))
) PARTITION BY RANGE (id);
-- None of these indexes has a column that changes, so the update that ends a callout is made in place. That is why the
-- state has no index.
CREATE INDEX callouts_webhook_key_sequence_number_idx ON callouts (webhook_key, sequence_number);
-- The delivery log reads the callouts of a webhook in the order of their ids. For a tenant it merges those of each of its
-- webhooks: one index serves both.
CREATE INDEX callouts_webhook_key_id_idx ON callouts (webhook_key, id);
-- The callouts of one record. Without it the log reads from the newest callout of the webhook on, or all of them when the
-- record has none.
CREATE INDEX callouts_webhook_key_record_id_idx ON callouts (webhook_key, record_id);
-- Nearly all callouts are updates: only the others are indexed by their action, so that storing an update costs no more.
CREATE INDEX callouts_by_action ON callouts (webhook_key, action, id) WHERE action <> 'Update';

-- The body of a callout is made from its event and a layout, which never change: the values of an event are stored once,
-- however many webhooks it is for. A layout has a row for each webhook with callouts of it, for as long as the webhook.
CREATE TABLE payload_layouts (
  webhook_key BIGINT  NOT NULL,
  id          BIGINT  NOT NULL,
  tenant_id   INTEGER NOT NULL,
  layout      JSON    NOT NULL,
  CONSTRAINT payload_layouts_pkey PRIMARY KEY (webhook_key, id)
);

-- Bodies that are not made from one event: those of tests, of deactivation calls, of events that were matched
-- late, and of callouts that carry several changes.
CREATE TABLE callout_bodies (
  callout_id UUID NOT NULL,
  body       TEXT NOT NULL,
  CONSTRAINT callout_bodies_pkey PRIMARY KEY (callout_id)
) PARTITION BY RANGE (callout_id);

-- Claim and deliver -------------------------------------------------------------------------------------------------

-- Partly empty pages let a lease be an update in place.
CREATE TABLE open_callouts (
  callout_id      UUID           NOT NULL,
  tenant_id       INTEGER        NOT NULL,
  webhook_key     BIGINT         NOT NULL,
  entity_type     TEXT           NOT NULL,
  record_id       BIGINT         NOT NULL,
  action          TEXT           NOT NULL,
  kind            TEXT           NOT NULL DEFAULT 'event',
  event_id        TEXT,
  sequence_number BIGINT         NOT NULL,
  state           TEXT           NOT NULL,
  due_at          TIMESTAMPTZ(6) NOT NULL,
  attempts_made   INTEGER        NOT NULL DEFAULT 0,
  attempts_before INTEGER        NOT NULL DEFAULT 0,
  is_redelivery   BOOLEAN        NOT NULL DEFAULT false,
  lease_owner     UUID,
  lease_until     TIMESTAMPTZ(6),
  accepted_at     TIMESTAMPTZ(3),
  trace_parent    TEXT,
  body_bytes      INTEGER        NOT NULL DEFAULT 0,
  CONSTRAINT open_callouts_pkey PRIMARY KEY (callout_id),
  CONSTRAINT open_callouts_state CHECK (state IN ('waiting', 'held', 'due')),
  CONSTRAINT open_callouts_kind CHECK (kind IN ('event', 'deactivation', 'test')),
  -- Claims find tests and deactivation calls by their record ids.
  CONSTRAINT open_callouts_event_of_record CHECK ((kind = 'event') = (record_id > 0))
) WITH (
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);
-- The callouts of one record in their order.
CREATE INDEX open_callouts_webhook_key_record_id_sequence_number_idx
  ON open_callouts (webhook_key, record_id, sequence_number);
-- Lanes ask for the due callouts of a webhook, oldest first, thousands of times a minute. Callouts that wait for an earlier
-- callout of their record, or are held by the threshold, are not in this index.
CREATE INDEX open_callouts_due ON open_callouts (webhook_key, due_at) WHERE state = 'due';
-- While a receiver is down its oldest callouts are tried first. They get through their attempts, instead of each callout of
-- a long backlog getting one.
CREATE INDEX open_callouts_by_number ON open_callouts (webhook_key, sequence_number) WHERE state = 'due';
-- Tests and deactivation calls, which go out during a pause too.
CREATE INDEX open_callouts_calls ON open_callouts (webhook_key) WHERE kind <> 'event';
-- Held callouts are released oldest first, whatever their webhook.
CREATE INDEX open_callouts_held ON open_callouts (tenant_id, entity_type, callout_id) WHERE state = 'held';
-- The oldest held callouts of each webhook: finds those of the others without reading the backlog of a paused one.
CREATE INDEX open_callouts_held_by_webhook ON open_callouts (webhook_key, callout_id) WHERE state = 'held';

-- Callouts of webhooks that merge, whose bytes may still change: the last one of each record, until it is tried. Such a row
-- is written with each change of its record and deleted soon after.
CREATE TABLE mergeable_callouts (
  webhook_key BIGINT  NOT NULL,
  record_id   BIGINT  NOT NULL,
  callout_id  UUID    NOT NULL,
  tenant_id   INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  carried     JSON    NOT NULL,
  CONSTRAINT mergeable_callouts_pkey PRIMARY KEY (webhook_key, record_id)
) WITH (
  fillfactor = 60,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000
);

CREATE TABLE webhook_health (
  webhook_key   BIGINT  NOT NULL,
  failed_in_row INTEGER NOT NULL DEFAULT 0,
  down_in_row   INTEGER NOT NULL DEFAULT 0,
  failing_since TIMESTAMPTZ(3),
  last_failure  TEXT,
  paused_until  TIMESTAMPTZ(6),
  pauses        INTEGER NOT NULL DEFAULT 0,
  probe_lease   UUID,
  -- Its callouts are fetched, and nothing has been fetched for ALERT_AFTER.
  is_unfetched  BOOLEAN NOT NULL DEFAULT false,
  probe_at      TIMESTAMPTZ(6),
  refused_number BIGINT,
  is_reported   BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT webhook_health_pkey PRIMARY KEY (webhook_key)
);

-- When the next call of a webhook with limits of its own may begin. Its lock guards both limits.
CREATE TABLE webhook_rates (
  webhook_key  BIGINT         NOT NULL,
  next_call_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_rates_pkey PRIMARY KEY (webhook_key)
) WITH (fillfactor = 50);

-- Calls under way of webhooks that limit their number.
CREATE TABLE limited_calls (
  webhook_key BIGINT         NOT NULL,
  callout_id  UUID           NOT NULL,
  lease_owner UUID           NOT NULL,
  lease_until TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT limited_calls_pkey PRIMARY KEY (webhook_key, callout_id)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);

-- Counts the calls of a webhook whose leases last. A function, since it must see what was committed before the caller
-- got the lock of webhook_rates: a statement sees what was committed before it began.
CREATE FUNCTION limited_calls_under_way(key bigint) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM limited_calls WHERE webhook_key = key AND lease_until > clock_timestamp());
END $$;

-- Webhooks that deliver again: the sweep makes their callouts that wait for another attempt due.
CREATE TABLE recovered_webhooks (
  webhook_key  BIGINT         NOT NULL,
  tenant_id    INTEGER        NOT NULL,
  recovered_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT recovered_webhooks_pkey PRIMARY KEY (webhook_key)
);

-- Every match or claim of a tenant and entity updates its window: half-empty pages let that be an update in place.
CREATE TABLE threshold_windows (
  tenant_id          INTEGER NOT NULL,
  entity_type        TEXT    NOT NULL,
  used               INTEGER NOT NULL DEFAULT 0,
  episode_started_at TIMESTAMPTZ(3),
  second             TIMESTAMPTZ(0),
  second_used        INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT threshold_windows_pkey PRIMARY KEY (tenant_id, entity_type)
) WITH (fillfactor = 50);
-- The episodes that are under way: few, or none.
CREATE INDEX threshold_windows_episodes ON threshold_windows (tenant_id, entity_type)
  WHERE episode_started_at IS NOT NULL;

CREATE TABLE threshold_use (
  tenant_id   INTEGER        NOT NULL,
  entity_type TEXT           NOT NULL,
  second      TIMESTAMPTZ(0) NOT NULL,
  used        INTEGER        NOT NULL,
  CONSTRAINT threshold_use_pkey PRIMARY KEY (tenant_id, entity_type, second)
);

-- Counts first attempts of a tenant and an entity: as many of the wanted ones as the threshold (`most`) leaves of the
-- hour, which is 3,600 seconds with the present one. While callouts are held nothing is granted, since a new callout must
-- not overtake them. A release has chosen held callouts within the threshold and names none (null): all are counted.
-- Returns how many first attempts were granted, and how many are counted now.
--
-- Locks the window, and makes it where it is absent: claims, matches and releases wait for each other here. The first call
-- of a second drops the seconds older than the hour, and moves the second that the window has counted to threshold_use;
-- its rows are written under the lock of their window alone. A function, since each of its statements must see what was
-- committed before the lock was taken. Without wanted attempts, and within the same second, nothing is written.
CREATE FUNCTION grant_first_attempts(
  tenant integer, entity text, wanted integer, most integer, OUT granted integer, OUT counted integer
) LANGUAGE plpgsql AS $$
DECLARE
  present timestamptz := date_trunc('second', now());
  locked threshold_windows;
  dropped integer := 0;
  has_moved boolean := false;
BEGIN
  LOOP
    SELECT * INTO locked FROM threshold_windows w WHERE w.tenant_id = tenant AND w.entity_type = entity FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO threshold_windows (tenant_id, entity_type) VALUES (tenant, entity) ON CONFLICT DO NOTHING;
  END LOOP;
  IF locked.second IS DISTINCT FROM present THEN
    has_moved := locked.second_used <> 0;
    IF has_moved THEN
      INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
      VALUES (tenant, entity, locked.second, locked.second_used)
      ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used;
      locked.second_used := 0;
    END IF;
    WITH past AS (
      DELETE FROM threshold_use u
      WHERE u.tenant_id = tenant AND u.entity_type = entity AND u.second <= present - interval '3600 seconds'
      RETURNING u.used
    )
    SELECT coalesce(sum(past.used), 0) INTO dropped FROM past;
  END IF;
  counted := locked.used - dropped;
  granted := CASE WHEN most IS NULL THEN wanted WHEN locked.episode_started_at IS NOT NULL THEN 0
    ELSE greatest(0, least(wanted, most - counted)) END;
  counted := counted + granted;
  IF granted > 0 OR dropped <> 0 OR has_moved THEN
    UPDATE threshold_windows w SET second = present, used = counted, second_used = locked.second_used + granted
    WHERE w.tenant_id = tenant AND w.entity_type = entity;
  END IF;
END $$;

CREATE TABLE threshold_episode_webhooks (
  tenant_id   INTEGER NOT NULL,
  entity_type TEXT    NOT NULL,
  webhook_key BIGINT  NOT NULL,
  held        INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT threshold_episode_webhooks_pkey PRIMARY KEY (tenant_id, entity_type, webhook_key)
);

-- Pull --------------------------------------------------------------------------------------------------------------

CREATE TABLE receiver_tokens (
  webhook_key    BIGINT NOT NULL,
  auth_id        UUID NOT NULL,
  token_id       UUID,
  key_id         TEXT,
  nonce          BYTEA,
  ciphertext     BYTEA,
  usable_until   TIMESTAMPTZ(6),
  fetcher        UUID,
  fetching_until TIMESTAMPTZ(6),
  CONSTRAINT receiver_tokens_pkey PRIMARY KEY (webhook_key)
);

CREATE TABLE pull_leases (
  id              UUID           NOT NULL,
  tenant_id       INTEGER        NOT NULL,
  webhook_key     BIGINT         NOT NULL,
  callout_id      UUID           NOT NULL,
  record_id       BIGINT         NOT NULL,
  sequence_number BIGINT         NOT NULL,
  kind            TEXT           NOT NULL,
  action          TEXT           NOT NULL,
  event_id        TEXT,
  is_redelivery   BOOLEAN        NOT NULL,
  number          INTEGER        NOT NULL,
  attempts_before INTEGER        NOT NULL,
  lease_owner     UUID           NOT NULL,
  handed_out_at   TIMESTAMPTZ(3) NOT NULL,
  lease_until     TIMESTAMPTZ(6) NOT NULL,
  outcome         TEXT,
  CONSTRAINT pull_leases_pkey PRIMARY KEY (id),
  CONSTRAINT pull_leases_outcome CHECK (outcome IN ('acked', 'nacked', 'lapsed'))
);
-- The leases that lapse next.
CREATE INDEX pull_leases_lapsing ON pull_leases (lease_until) WHERE outcome IS NULL;
-- What a webhook has handed out and heard nothing of.
CREATE INDEX pull_leases_open ON pull_leases (webhook_key, callout_id) WHERE outcome IS NULL;

-- Settle ------------------------------------------------------------------------------------------------------------

CREATE TABLE attempts (
  id               UUID           NOT NULL,
  callout_id       UUID           NOT NULL,
  tenant_id        INTEGER        NOT NULL,
  webhook_key      BIGINT         NOT NULL,
  number           INTEGER        NOT NULL,
  started_at       TIMESTAMPTZ(3) NOT NULL,
  duration_ms      INTEGER        NOT NULL,
  url              TEXT           NOT NULL,
  request_headers  JSON           NOT NULL,
  status           INTEGER,
  response_headers JSON,
  response_body    BYTEA,
  failure_reason   TEXT,
  failure          TEXT,
  next_attempt_at  TIMESTAMPTZ(3),
  CONSTRAINT attempts_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX attempts_callout_id_idx ON attempts (callout_id);
-- The last attempts of failed callouts: usually one callout in thousands, and what the log is most often asked for.
CREATE INDEX attempts_failed ON attempts (webhook_key, callout_id)
  WHERE next_attempt_at IS NULL AND (status IS NULL OR status NOT BETWEEN 200 AND 299);

-- The last three digits of an id, so that rows of one millisecond have different ids.
CREATE SEQUENCE webhook_event_error_logs_serial MINVALUE 0 MAXVALUE 999 START WITH 0 CYCLE;

CREATE TABLE webhook_event_error_logs (
  id                BIGINT         NOT NULL,
  tenant_id         INTEGER        NOT NULL,
  owner_resource_id INTEGER        NOT NULL,
  entity_type       TEXT           NOT NULL,
  webhook_id        INTEGER        NOT NULL,
  webhook_guid      UUID           NOT NULL,
  sequence_number   BIGINT         NOT NULL,
  created_at        TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  error_message     TEXT           NOT NULL,
  payload           TEXT           NOT NULL,
  CONSTRAINT webhook_event_error_logs_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX webhook_event_error_logs_tenant_id_id_idx ON webhook_event_error_logs (tenant_id, id);

-- Notify ------------------------------------------------------------------------------------------------------------

CREATE TABLE notifications (
  id          UUID           NOT NULL,
  tenant_id   INTEGER,
  webhook_key BIGINT,
  kind        TEXT           NOT NULL,
  occasion    TEXT           NOT NULL,
  recipient   TEXT           NOT NULL,
  content     JSON           NOT NULL,
  state       TEXT           NOT NULL DEFAULT 'waiting',
  -- Notifications are stored as things happen, and gathered into mails later.
  mail_id     UUID,
  mail_at     TIMESTAMPTZ(3),
  due_at      TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_owner UUID,
  lease_until TIMESTAMPTZ(6),
  attempts    INTEGER        NOT NULL DEFAULT 0,
  last_error  TEXT,
  created_at  TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sent_at     TIMESTAMPTZ(3),
  CONSTRAINT notifications_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX notifications_webhook_key_kind_occasion_recipient_key
  ON notifications (webhook_key, kind, occasion, recipient);
CREATE INDEX notifications_state_due_at_idx ON notifications (state, due_at);
CREATE INDEX notifications_mail_id_idx ON notifications (mail_id);
CREATE INDEX notifications_tenant_id_kind_mail_at_idx ON notifications (tenant_id, kind, mail_at);
-- Notifications that are in no mail yet: looked for every second, and nearly always none.
CREATE INDEX notifications_loose ON notifications (created_at) WHERE state = 'waiting' AND mail_id IS NULL;

CREATE TABLE mail_confirmations (
  tenant_id    INTEGER        NOT NULL,
  address      TEXT           NOT NULL,
  token_hash   BYTEA          NOT NULL,
  requests     INTEGER        NOT NULL DEFAULT 1,
  expires_at   TIMESTAMPTZ(3) NOT NULL,
  confirmed_at TIMESTAMPTZ(3),
  CONSTRAINT mail_confirmations_pkey PRIMARY KEY (tenant_id, address)
);
CREATE UNIQUE INDEX mail_confirmations_token_hash_key ON mail_confirmations (token_hash);

CREATE TABLE failing_episodes (
  webhook_key  BIGINT         NOT NULL,
  tenant_id    INTEGER        NOT NULL,
  since        TIMESTAMPTZ(3) NOT NULL,
  told_at      TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  recovered_at TIMESTAMPTZ(3),
  CONSTRAINT failing_episodes_pkey PRIMARY KEY (webhook_key)
);

-- Work: what happened to webhooks, until there are events of it. The time is that of the statement, which runs under the
-- locks of the webhook: in its order the events are made.
CREATE TABLE webhook_occurrences (
  id                UUID           NOT NULL,
  tenant_id         INTEGER        NOT NULL,
  actor_resource_id INTEGER,
  occurred_at       TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
  content           JSON           NOT NULL,
  CONSTRAINT webhook_occurrences_pkey PRIMARY KEY (id)
);

-- Work: messages about alerts of the installation, until OPERATOR_ALERT_URL has taken them.
CREATE TABLE operator_messages (
  id          UUID           NOT NULL,
  alert       TEXT           NOT NULL,
  content     JSON           NOT NULL,
  due_at      TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_owner UUID,
  lease_until TIMESTAMPTZ(6),
  attempts    INTEGER        NOT NULL DEFAULT 0,
  created_at  TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT operator_messages_pkey PRIMARY KEY (id)
);

CREATE TABLE installation_alerts (
  name    TEXT           NOT NULL,
  since   TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Several workers check for the same alerts, and one may see what another cannot: an alert is over when no worker has
  -- seen it for a while.
  seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  detail  TEXT           NOT NULL,
  CONSTRAINT installation_alerts_pkey PRIMARY KEY (name)
);

-- Statistics --------------------------------------------------------------------------------------------------------

-- What is counted of finished minutes and hours, so that charts need not read the history.
CREATE TABLE delivery_minutes (
  webhook_key      BIGINT         NOT NULL,
  minute           TIMESTAMPTZ(0) NOT NULL,
  tenant_id        INTEGER        NOT NULL,
  entity_type      TEXT           NOT NULL,
  delivered        INTEGER        NOT NULL DEFAULT 0,
  failed           INTEGER        NOT NULL DEFAULT 0,
  attempts         INTEGER        NOT NULL DEFAULT 0,
  failed_attempts  INTEGER        NOT NULL DEFAULT 0,
  held             INTEGER,
  answer_ms        BIGINT         NOT NULL DEFAULT 0,
  answer_times     INTEGER[]      DEFAULT ARRAY[]::INTEGER[],
  failures         INTEGER[]      DEFAULT ARRAY[]::INTEGER[],
  last_attempt_at  TIMESTAMPTZ(3),
  last_delivery_at TIMESTAMPTZ(3),
  CONSTRAINT delivery_minutes_pkey PRIMARY KEY (webhook_key, minute)
);
CREATE INDEX delivery_minutes_tenant_id_minute_idx ON delivery_minutes (tenant_id, minute);
CREATE INDEX delivery_minutes_minute_idx ON delivery_minutes (minute);

CREATE TABLE delivery_hours (
  webhook_key      BIGINT         NOT NULL,
  hour             TIMESTAMPTZ(0) NOT NULL,
  tenant_id        INTEGER        NOT NULL,
  entity_type      TEXT           NOT NULL,
  delivered        INTEGER        NOT NULL DEFAULT 0,
  failed           INTEGER        NOT NULL DEFAULT 0,
  attempts         INTEGER        NOT NULL DEFAULT 0,
  failed_attempts  INTEGER        NOT NULL DEFAULT 0,
  held             INTEGER,
  answer_ms        BIGINT         NOT NULL DEFAULT 0,
  answer_times     INTEGER[]      DEFAULT ARRAY[]::INTEGER[],
  failures         INTEGER[]      DEFAULT ARRAY[]::INTEGER[],
  last_attempt_at  TIMESTAMPTZ(3),
  last_delivery_at TIMESTAMPTZ(3),
  CONSTRAINT delivery_hours_pkey PRIMARY KEY (webhook_key, hour)
);
CREATE INDEX delivery_hours_tenant_id_hour_idx ON delivery_hours (tenant_id, hour);
CREATE INDEX delivery_hours_hour_idx ON delivery_hours (hour);

CREATE TABLE statistics_progress (
  name          TEXT           NOT NULL,
  minutes_until TIMESTAMPTZ(0) NOT NULL,
  hours_until   TIMESTAMPTZ(0) NOT NULL,
  seen_until    TIMESTAMPTZ(0) NOT NULL,
  CONSTRAINT statistics_progress_pkey PRIMARY KEY (name)
);

CREATE TABLE processes (
  id         UUID           NOT NULL,
  service    TEXT           NOT NULL,
  version    TEXT           NOT NULL,
  host       TEXT           NOT NULL,
  pid        INTEGER        NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  seen_at    TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_ready   BOOLEAN        NOT NULL,
  facts      JSON           NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (id)
);

CREATE TABLE dropped_partitions (
  name       TEXT           NOT NULL,
  dropped_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT dropped_partitions_pkey PRIMARY KEY (name)
);

-- Moving a tenant to another zone (docs/zones.md) --------------------------------------------------------------------

CREATE TABLE tenant_moves (
  id          UUID           NOT NULL,
  tenant_id   INTEGER        NOT NULL,
  direction   TEXT           NOT NULL,
  zone_name   TEXT           NOT NULL,
  is_prepared BOOLEAN        NOT NULL DEFAULT false,
  run         UUID,
  copied      BIGINT         NOT NULL DEFAULT 0,
  started_at  TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at TIMESTAMPTZ(3),
  CONSTRAINT tenant_moves_pkey PRIMARY KEY (id),
  CONSTRAINT tenant_moves_direction CHECK (direction IN ('in', 'out'))
);
CREATE INDEX tenant_moves_tenant_id_idx ON tenant_moves (tenant_id);

-- The tables that prisma/migrations make, as PostgreSQL has them; partitions of days are left out.
-- Written by "npm run schema", compared by a test: do not edit.

CREATE SEQUENCE credentials_id_seq AS integer MINVALUE 1 MAXVALUE 2147483647 START WITH 1 INCREMENT BY 1;
CREATE SEQUENCE tenants_id_seq AS integer MINVALUE 1 MAXVALUE 2147483647 START WITH 1 INCREMENT BY 1;
CREATE SEQUENCE webhook_event_error_logs_serial AS bigint MINVALUE 0 MAXVALUE 999 START WITH 0 INCREMENT BY 1 CYCLE;
CREATE SEQUENCE webhooks_key_seq AS bigint MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 INCREMENT BY 1;
CREATE SEQUENCE zones_id_seq AS integer MINVALUE 1 MAXVALUE 2147483647 START WITH 1 INCREMENT BY 1;

CREATE TABLE attempts (
  id uuid NOT NULL,
  callout_id uuid NOT NULL,
  tenant_id integer NOT NULL,
  webhook_key bigint NOT NULL,
  number integer NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  duration_ms integer NOT NULL,
  url text NOT NULL,
  request_headers json NOT NULL,
  status integer,
  response_headers json,
  response_body bytea,
  failure_reason text,
  failure text,
  next_attempt_at timestamp(3) with time zone,
  CONSTRAINT attempts_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX attempts_callout_id_idx ON attempts USING btree (callout_id);
CREATE INDEX attempts_failed ON attempts USING btree (webhook_key, callout_id) WHERE ((next_attempt_at IS NULL) AND ((status IS NULL) OR ((status < 200) OR (status > 299))));

CREATE TABLE callout_bodies (
  callout_id uuid NOT NULL,
  body text NOT NULL,
  CONSTRAINT callout_bodies_pkey PRIMARY KEY (callout_id)
) PARTITION BY RANGE (callout_id);

CREATE TABLE callouts (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  webhook_key bigint NOT NULL,
  sequence_number bigint NOT NULL,
  event_id uuid,
  entity_type text NOT NULL,
  record_id bigint NOT NULL,
  action text NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  finished_at timestamp(3) with time zone,
  kind text NOT NULL DEFAULT 'event'::text,
  cancelled_lease uuid,
  layout_id bigint,
  merged_into uuid,
  is_replayed boolean NOT NULL DEFAULT false,
  CONSTRAINT callouts_pkey PRIMARY KEY (id),
  CONSTRAINT callouts_kind CHECK ((kind = ANY (ARRAY['event'::text, 'deactivation'::text, 'test'::text]))),
  CONSTRAINT callouts_state CHECK ((state = ANY (ARRAY['open'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text, 'merged'::text])))
) PARTITION BY RANGE (id);
CREATE INDEX callouts_by_action ON callouts USING btree (webhook_key, action, id) WHERE (action <> 'Update'::text);
CREATE INDEX callouts_webhook_key_id_idx ON callouts USING btree (webhook_key, id);
CREATE INDEX callouts_webhook_key_record_id_idx ON callouts USING btree (webhook_key, record_id);
CREATE INDEX callouts_webhook_key_sequence_number_idx ON callouts USING btree (webhook_key, sequence_number);

CREATE TABLE changes (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  webhook_key bigint,
  at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  entity text NOT NULL,
  entity_id integer,
  action text NOT NULL,
  cause text NOT NULL,
  actor_kind text NOT NULL,
  actor_resource_id integer,
  actor_user_name text,
  fields json NOT NULL,
  detail text,
  CONSTRAINT changes_pkey PRIMARY KEY (id)
);
CREATE INDEX changes_pauses ON changes USING btree (id) WHERE (action = ANY (ARRAY['paused'::text, 'resumed'::text]));
CREATE INDEX changes_tenant_id_id_idx ON changes USING btree (tenant_id, id);
CREATE INDEX changes_webhook_key_id_idx ON changes USING btree (webhook_key, id);

CREATE TABLE console_links (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  tenant_id integer,
  resource_id integer,
  credential_id integer,
  proof bytea,
  webhook_key bigint,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT console_links_pkey PRIMARY KEY (token_hash),
  CONSTRAINT console_links_kind CHECK ((kind = ANY (ARRAY['user'::text, 'portal'::text, 'operator'::text])))
);
CREATE INDEX console_links_expires_at_idx ON console_links USING btree (expires_at);

CREATE TABLE console_sessions (
  token_hash bytea NOT NULL,
  kind text NOT NULL,
  tenant_id integer,
  resource_id integer,
  credential_id integer,
  proof bytea,
  webhook_key bigint,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT console_sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT console_sessions_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credentials(id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT console_sessions_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id) REFERENCES resources(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT console_sessions_kind CHECK ((kind = ANY (ARRAY['user'::text, 'portal'::text, 'operator'::text])))
);
CREATE INDEX console_sessions_credential_id_idx ON console_sessions USING btree (credential_id);
CREATE INDEX console_sessions_expires_at_idx ON console_sessions USING btree (expires_at);
CREATE INDEX console_sessions_tenant_id_resource_id_idx ON console_sessions USING btree (tenant_id, resource_id);

CREATE TABLE counters (
  tenant_id integer NOT NULL,
  collection text NOT NULL,
  next_id bigint NOT NULL DEFAULT 1,
  CONSTRAINT counters_pkey PRIMARY KEY (tenant_id, collection)
) WITH (fillfactor=50);

CREATE TABLE credentials (
  id integer NOT NULL DEFAULT nextval('credentials_id_seq'::regclass),
  tenant_id integer NOT NULL,
  resource_id integer NOT NULL,
  user_name text NOT NULL,
  user_name_folded text NOT NULL,
  api_integration_code text NOT NULL,
  secret_hash bytea NOT NULL,
  secret_scrypt text,
  role text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT credentials_pkey PRIMARY KEY (id),
  CONSTRAINT credentials_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id) REFERENCES resources(tenant_id, id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT credentials_role CHECK ((role = ANY (ARRAY['integrator'::text, 'source'::text, 'admin'::text])))
);
CREATE INDEX credentials_tenant_id_resource_id_idx ON credentials USING btree (tenant_id, resource_id);
CREATE UNIQUE INDEX credentials_user_name_folded_key ON credentials USING btree (user_name_folded);

CREATE TABLE delivery_hours (
  webhook_key bigint NOT NULL,
  hour timestamp(0) with time zone NOT NULL,
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  failed_attempts integer NOT NULL DEFAULT 0,
  held integer,
  answer_ms bigint NOT NULL DEFAULT 0,
  answer_times integer[] DEFAULT ARRAY[]::integer[],
  failures integer[] DEFAULT ARRAY[]::integer[],
  last_attempt_at timestamp(3) with time zone,
  last_delivery_at timestamp(3) with time zone,
  CONSTRAINT delivery_hours_pkey PRIMARY KEY (webhook_key, hour)
);
CREATE INDEX delivery_hours_hour_idx ON delivery_hours USING btree (hour);
CREATE INDEX delivery_hours_tenant_id_hour_idx ON delivery_hours USING btree (tenant_id, hour);

CREATE TABLE delivery_minutes (
  webhook_key bigint NOT NULL,
  minute timestamp(0) with time zone NOT NULL,
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  failed_attempts integer NOT NULL DEFAULT 0,
  held integer,
  answer_ms bigint NOT NULL DEFAULT 0,
  answer_times integer[] DEFAULT ARRAY[]::integer[],
  failures integer[] DEFAULT ARRAY[]::integer[],
  last_attempt_at timestamp(3) with time zone,
  last_delivery_at timestamp(3) with time zone,
  CONSTRAINT delivery_minutes_pkey PRIMARY KEY (webhook_key, minute)
);
CREATE INDEX delivery_minutes_minute_idx ON delivery_minutes USING btree (minute);
CREATE INDEX delivery_minutes_tenant_id_minute_idx ON delivery_minutes USING btree (tenant_id, minute);

CREATE TABLE dropped_partitions (
  name text NOT NULL,
  dropped_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT dropped_partitions_pkey PRIMARY KEY (name)
);

CREATE TABLE event_keys (
  tenant_id integer NOT NULL,
  event_key text NOT NULL,
  event_id uuid NOT NULL,
  content_hash bytea NOT NULL,
  accepted_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT event_keys_pkey PRIMARY KEY (tenant_id, event_key)
);
CREATE INDEX event_keys_accepted_at_idx ON event_keys USING btree (accepted_at);

CREATE TABLE event_matches (
  event_id uuid NOT NULL,
  tenant_id integer NOT NULL,
  matched_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  verdicts json NOT NULL,
  CONSTRAINT event_matches_pkey PRIMARY KEY (event_id)
) PARTITION BY RANGE (event_id);

CREATE TABLE events (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  record_id bigint NOT NULL,
  record_version bigint NOT NULL,
  action text NOT NULL,
  person_id integer NOT NULL,
  event_key text,
  event_time timestamp(0) with time zone NOT NULL,
  accepted_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  changed_fields text[],
  changed_udfs integer[],
  fields json NOT NULL,
  udf_fields json NOT NULL,
  trace_parent text,
  previous json,
  characters integer NOT NULL DEFAULT 0,
  CONSTRAINT events_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_by_key ON events USING btree (tenant_id, event_key) WHERE (event_key IS NOT NULL);
CREATE INDEX events_tenant_id_id_idx ON events USING btree (tenant_id, id);
CREATE INDEX events_tenant_id_record_id_idx ON events USING btree (tenant_id, record_id);

CREATE TABLE failing_episodes (
  webhook_key bigint NOT NULL,
  tenant_id integer NOT NULL,
  since timestamp(3) with time zone NOT NULL,
  told_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  recovered_at timestamp(3) with time zone,
  CONSTRAINT failing_episodes_pkey PRIMARY KEY (webhook_key)
);

CREATE TABLE idempotency_keys (
  credential_id integer NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  status integer NOT NULL,
  body text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (credential_id, route, key)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys USING btree (created_at);

CREATE TABLE installation_alerts (
  name text NOT NULL,
  since timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  seen_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  detail text NOT NULL,
  CONSTRAINT installation_alerts_pkey PRIMARY KEY (name)
);

CREATE TABLE limited_calls (
  webhook_key bigint NOT NULL,
  callout_id uuid NOT NULL,
  lease_owner uuid NOT NULL,
  lease_until timestamp(6) with time zone NOT NULL,
  CONSTRAINT limited_calls_pkey PRIMARY KEY (webhook_key, callout_id)
) WITH (autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, fillfactor=50);

CREATE TABLE mail_confirmations (
  tenant_id integer NOT NULL,
  address text NOT NULL,
  token_hash bytea NOT NULL,
  requests integer NOT NULL DEFAULT 1,
  expires_at timestamp(3) with time zone NOT NULL,
  confirmed_at timestamp(3) with time zone,
  CONSTRAINT mail_confirmations_pkey PRIMARY KEY (tenant_id, address)
);
CREATE UNIQUE INDEX mail_confirmations_token_hash_key ON mail_confirmations USING btree (token_hash);

CREATE TABLE mergeable_callouts (
  webhook_key bigint NOT NULL,
  record_id bigint NOT NULL,
  callout_id uuid NOT NULL,
  tenant_id integer NOT NULL,
  version integer NOT NULL,
  carried json NOT NULL,
  CONSTRAINT mergeable_callouts_pkey PRIMARY KEY (webhook_key, record_id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=50000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, fillfactor=60);

CREATE TABLE notifications (
  id uuid NOT NULL,
  tenant_id integer,
  webhook_key bigint,
  kind text NOT NULL,
  occasion text NOT NULL,
  recipient text NOT NULL,
  content json NOT NULL,
  state text NOT NULL DEFAULT 'waiting'::text,
  mail_id uuid,
  mail_at timestamp(3) with time zone,
  due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_owner uuid,
  lease_until timestamp(6) with time zone,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  sent_at timestamp(3) with time zone,
  CONSTRAINT notifications_pkey PRIMARY KEY (id)
);
CREATE INDEX notifications_loose ON notifications USING btree (created_at) WHERE ((state = 'waiting'::text) AND (mail_id IS NULL));
CREATE INDEX notifications_mail_id_idx ON notifications USING btree (mail_id);
CREATE INDEX notifications_state_due_at_idx ON notifications USING btree (state, due_at);
CREATE INDEX notifications_tenant_id_kind_mail_at_idx ON notifications USING btree (tenant_id, kind, mail_at);
CREATE UNIQUE INDEX notifications_webhook_key_kind_occasion_recipient_key ON notifications USING btree (webhook_key, kind, occasion, recipient);

CREATE TABLE open_callouts (
  callout_id uuid NOT NULL,
  tenant_id integer NOT NULL,
  webhook_key bigint NOT NULL,
  entity_type text NOT NULL,
  record_id bigint NOT NULL,
  action text NOT NULL,
  kind text NOT NULL DEFAULT 'event'::text,
  event_id text,
  sequence_number bigint NOT NULL,
  state text NOT NULL,
  due_at timestamp(6) with time zone NOT NULL,
  attempts_made integer NOT NULL DEFAULT 0,
  attempts_before integer NOT NULL DEFAULT 0,
  is_redelivery boolean NOT NULL DEFAULT false,
  lease_owner uuid,
  lease_until timestamp(6) with time zone,
  accepted_at timestamp(3) with time zone,
  trace_parent text,
  body_bytes integer NOT NULL DEFAULT 0,
  CONSTRAINT open_callouts_pkey PRIMARY KEY (callout_id),
  CONSTRAINT open_callouts_event_of_record CHECK (((kind = 'event'::text) = (record_id > 0))),
  CONSTRAINT open_callouts_kind CHECK ((kind = ANY (ARRAY['event'::text, 'deactivation'::text, 'test'::text]))),
  CONSTRAINT open_callouts_state CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'due'::text])))
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=50000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, fillfactor=60);
CREATE INDEX open_callouts_by_number ON open_callouts USING btree (webhook_key, sequence_number) WHERE (state = 'due'::text);
CREATE INDEX open_callouts_calls ON open_callouts USING btree (webhook_key) WHERE (kind <> 'event'::text);
CREATE INDEX open_callouts_due ON open_callouts USING btree (webhook_key, due_at) WHERE (state = 'due'::text);
CREATE INDEX open_callouts_held ON open_callouts USING btree (tenant_id, entity_type, callout_id) WHERE (state = 'held'::text);
CREATE INDEX open_callouts_held_by_webhook ON open_callouts USING btree (webhook_key, callout_id) WHERE (state = 'held'::text);
CREATE INDEX open_callouts_webhook_key_record_id_sequence_number_idx ON open_callouts USING btree (webhook_key, record_id, sequence_number);

CREATE TABLE operator_messages (
  id uuid NOT NULL,
  alert text NOT NULL,
  content json NOT NULL,
  due_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lease_owner uuid,
  lease_until timestamp(6) with time zone,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT operator_messages_pkey PRIMARY KEY (id)
);

CREATE TABLE payload_layouts (
  webhook_key bigint NOT NULL,
  id bigint NOT NULL,
  tenant_id integer NOT NULL,
  layout json NOT NULL,
  CONSTRAINT payload_layouts_pkey PRIMARY KEY (webhook_key, id)
);

CREATE TABLE pending_events (
  event_id uuid NOT NULL,
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  record_id bigint NOT NULL,
  record_version bigint NOT NULL,
  enqueue_at timestamp(6) with time zone NOT NULL,
  enqueue_count integer NOT NULL DEFAULT 0,
  CONSTRAINT pending_events_pkey PRIMARY KEY (event_id)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=50000, autovacuum_vacuum_cost_delay=0, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX pending_events_enqueue_at_idx ON pending_events USING btree (enqueue_at);
CREATE INDEX pending_events_tenant_id_entity_type_record_id_record_versi_idx ON pending_events USING btree (tenant_id, entity_type, record_id, record_version);

CREATE TABLE processes (
  id uuid NOT NULL,
  service text NOT NULL,
  version text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  seen_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_ready boolean NOT NULL,
  facts json NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (id)
);

CREATE TABLE pull_leases (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  webhook_key bigint NOT NULL,
  callout_id uuid NOT NULL,
  record_id bigint NOT NULL,
  sequence_number bigint NOT NULL,
  kind text NOT NULL,
  action text NOT NULL,
  event_id text,
  is_redelivery boolean NOT NULL,
  number integer NOT NULL,
  attempts_before integer NOT NULL,
  lease_owner uuid NOT NULL,
  handed_out_at timestamp(3) with time zone NOT NULL,
  lease_until timestamp(6) with time zone NOT NULL,
  outcome text,
  CONSTRAINT pull_leases_pkey PRIMARY KEY (id),
  CONSTRAINT pull_leases_outcome CHECK ((outcome = ANY (ARRAY['acked'::text, 'nacked'::text, 'lapsed'::text])))
);
CREATE INDEX pull_leases_lapsing ON pull_leases USING btree (lease_until) WHERE (outcome IS NULL);
CREATE INDEX pull_leases_open ON pull_leases USING btree (webhook_key, callout_id) WHERE (outcome IS NULL);

CREATE TABLE receiver_tokens (
  webhook_key bigint NOT NULL,
  auth_id uuid NOT NULL,
  token_id uuid,
  key_id text,
  nonce bytea,
  ciphertext bytea,
  usable_until timestamp(6) with time zone,
  fetcher uuid,
  fetching_until timestamp(6) with time zone,
  CONSTRAINT receiver_tokens_pkey PRIMARY KEY (webhook_key)
);

CREATE TABLE records (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  id bigint NOT NULL,
  version bigint NOT NULL,
  fields jsonb STATISTICS 0 NOT NULL,
  udf_fields jsonb STATISTICS 0 NOT NULL,
  folded jsonb STATISTICS 0,
  terms bigint[] STATISTICS 0,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT records_pkey PRIMARY KEY (tenant_id, entity_type, id)
) WITH (toast_tuple_target=4080);
CREATE INDEX records_terms ON records USING gin (terms) WITH (gin_pending_list_limit='256');

CREATE TABLE recovered_webhooks (
  webhook_key bigint NOT NULL,
  tenant_id integer NOT NULL,
  recovered_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT recovered_webhooks_pkey PRIMARY KEY (webhook_key)
);

CREATE TABLE resources (
  tenant_id integer NOT NULL,
  id integer NOT NULL,
  email text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  can_create_webhooks boolean NOT NULL DEFAULT false,
  fields json NOT NULL DEFAULT '{}'::json,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT resources_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT resources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE RESTRICT
);

CREATE TABLE sign_in_failures (
  user_name_hash bytea NOT NULL,
  address text NOT NULL,
  failed_at timestamp(3) with time zone[],
  is_locked boolean NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT sign_in_failures_pkey PRIMARY KEY (user_name_hash, address)
) WITH (autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=50000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);
CREATE INDEX sign_in_failures_expires_at_idx ON sign_in_failures USING btree (expires_at);

CREATE TABLE signing_keys (
  tenant_id integer NOT NULL,
  id uuid NOT NULL,
  public_key bytea NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  key_id text NOT NULL,
  nonce bytea NOT NULL,
  ciphertext bytea NOT NULL,
  previous_public_key bytea,
  previous_created_at timestamp(3) with time zone,
  previous_key_id text,
  previous_nonce bytea,
  previous_ciphertext bytea,
  previous_until timestamp(3) with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (tenant_id)
);
CREATE UNIQUE INDEX signing_keys_id_key ON signing_keys USING btree (id);

CREATE TABLE statistics_progress (
  name text NOT NULL,
  minutes_until timestamp(0) with time zone NOT NULL,
  hours_until timestamp(0) with time zone NOT NULL,
  seen_until timestamp(0) with time zone NOT NULL,
  CONSTRAINT statistics_progress_pkey PRIMARY KEY (name)
);

CREATE TABLE tenant_moves (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  direction text NOT NULL,
  zone_name text NOT NULL,
  is_prepared boolean NOT NULL DEFAULT false,
  run uuid,
  copied bigint NOT NULL DEFAULT 0,
  started_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at timestamp(3) with time zone,
  CONSTRAINT tenant_moves_pkey PRIMARY KEY (id),
  CONSTRAINT tenant_moves_direction CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text])))
);
CREATE INDEX tenant_moves_tenant_id_idx ON tenant_moves USING btree (tenant_id);

CREATE TABLE tenants (
  id integer NOT NULL DEFAULT nextval('tenants_id_seq'::regclass),
  name text NOT NULL,
  zone_id integer NOT NULL,
  callout_threshold integer,
  api_requests_per_hour integer,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleting_at timestamp(3) with time zone,
  erased_at timestamp(3) with time zone,
  state text NOT NULL DEFAULT 'active'::text,
  CONSTRAINT tenants_pkey PRIMARY KEY (id),
  CONSTRAINT tenants_zone_id_fkey FOREIGN KEY (zone_id) REFERENCES zones(id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT tenants_state CHECK ((state = ANY (ARRAY['active'::text, 'arriving'::text, 'moving'::text, 'left'::text])))
);
CREATE INDEX tenants_deleting ON tenants USING btree (id) WHERE (deleting_at IS NOT NULL);
CREATE UNIQUE INDEX tenants_name_key ON tenants USING btree (name);

CREATE TABLE threshold_episode_webhooks (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  webhook_key bigint NOT NULL,
  held integer NOT NULL DEFAULT 0,
  CONSTRAINT threshold_episode_webhooks_pkey PRIMARY KEY (tenant_id, entity_type, webhook_key)
);

CREATE TABLE threshold_use (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  second timestamp(0) with time zone NOT NULL,
  used integer NOT NULL,
  CONSTRAINT threshold_use_pkey PRIMARY KEY (tenant_id, entity_type, second)
);

CREATE TABLE threshold_windows (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  used integer NOT NULL DEFAULT 0,
  episode_started_at timestamp(3) with time zone,
  second timestamp(0) with time zone,
  second_used integer NOT NULL DEFAULT 0,
  CONSTRAINT threshold_windows_pkey PRIMARY KEY (tenant_id, entity_type)
) WITH (fillfactor=50);
CREATE INDEX threshold_windows_episodes ON threshold_windows USING btree (tenant_id, entity_type) WHERE (episode_started_at IS NOT NULL);

CREATE TABLE udf_definitions (
  tenant_id integer NOT NULL,
  id integer NOT NULL,
  entity_type text NOT NULL,
  name text NOT NULL,
  name_folded text NOT NULL,
  label text NOT NULL,
  label_folded text NOT NULL,
  data_type text NOT NULL,
  list_values json,
  CONSTRAINT udf_definitions_pkey PRIMARY KEY (tenant_id, id),
  CONSTRAINT udf_definitions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE UNIQUE INDEX udf_definitions_tenant_id_entity_type_label_folded_key ON udf_definitions USING btree (tenant_id, entity_type, label_folded);
CREATE UNIQUE INDEX udf_definitions_tenant_id_entity_type_name_folded_key ON udf_definitions USING btree (tenant_id, entity_type, name_folded);

CREATE TABLE webhook_event_error_logs (
  id bigint NOT NULL,
  tenant_id integer NOT NULL,
  owner_resource_id integer NOT NULL,
  entity_type text NOT NULL,
  webhook_id integer NOT NULL,
  webhook_guid uuid NOT NULL,
  sequence_number bigint NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  error_message text NOT NULL,
  payload text NOT NULL,
  CONSTRAINT webhook_event_error_logs_pkey PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX webhook_event_error_logs_tenant_id_id_idx ON webhook_event_error_logs USING btree (tenant_id, id);

CREATE TABLE webhook_excluded_resources (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  id integer NOT NULL,
  webhook_key bigint NOT NULL,
  resource_id integer NOT NULL,
  CONSTRAINT webhook_excluded_resources_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_excluded_resources_tenant_id_resource_id_fkey FOREIGN KEY (tenant_id, resource_id) REFERENCES resources(tenant_id, id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT webhook_excluded_resources_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks(key) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_excluded_resources_tenant_id_resource_id_idx ON webhook_excluded_resources USING btree (tenant_id, resource_id);
CREATE UNIQUE INDEX webhook_excluded_resources_webhook_key_resource_id_key ON webhook_excluded_resources USING btree (webhook_key, resource_id);

CREATE TABLE webhook_fields (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  id integer NOT NULL,
  webhook_key bigint NOT NULL,
  field_id integer NOT NULL,
  is_subscribed_field boolean NOT NULL,
  is_display_always_field boolean NOT NULL,
  CONSTRAINT webhook_fields_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_fields_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks(key) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE UNIQUE INDEX webhook_fields_webhook_key_field_id_key ON webhook_fields USING btree (webhook_key, field_id);

CREATE TABLE webhook_health (
  webhook_key bigint NOT NULL,
  failed_in_row integer NOT NULL DEFAULT 0,
  down_in_row integer NOT NULL DEFAULT 0,
  failing_since timestamp(3) with time zone,
  last_failure text,
  paused_until timestamp(6) with time zone,
  pauses integer NOT NULL DEFAULT 0,
  probe_lease uuid,
  is_unfetched boolean NOT NULL DEFAULT false,
  probe_at timestamp(6) with time zone,
  refused_number bigint,
  is_reported boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_health_pkey PRIMARY KEY (webhook_key)
);

CREATE TABLE webhook_occurrences (
  id uuid NOT NULL,
  tenant_id integer NOT NULL,
  actor_resource_id integer,
  occurred_at timestamp(6) with time zone NOT NULL DEFAULT clock_timestamp(),
  content json NOT NULL,
  CONSTRAINT webhook_occurrences_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_rates (
  webhook_key bigint NOT NULL,
  next_call_at timestamp(6) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_rates_pkey PRIMARY KEY (webhook_key)
) WITH (fillfactor=50);

CREATE TABLE webhook_udf_fields (
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  id integer NOT NULL,
  webhook_key bigint NOT NULL,
  udf_field_id integer NOT NULL,
  is_subscribed_field boolean NOT NULL,
  is_display_always_field boolean NOT NULL,
  CONSTRAINT webhook_udf_fields_pkey PRIMARY KEY (tenant_id, entity_type, id),
  CONSTRAINT webhook_udf_fields_tenant_id_udf_field_id_fkey FOREIGN KEY (tenant_id, udf_field_id) REFERENCES udf_definitions(tenant_id, id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT webhook_udf_fields_webhook_key_fkey FOREIGN KEY (webhook_key) REFERENCES webhooks(key) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_udf_fields_tenant_id_udf_field_id_idx ON webhook_udf_fields USING btree (tenant_id, udf_field_id);
CREATE UNIQUE INDEX webhook_udf_fields_webhook_key_udf_field_id_key ON webhook_udf_fields USING btree (webhook_key, udf_field_id);

CREATE TABLE webhooks (
  key bigint NOT NULL DEFAULT nextval('webhooks_key_seq'::regclass),
  tenant_id integer NOT NULL,
  entity_type text NOT NULL,
  id integer NOT NULL,
  guid uuid NOT NULL,
  name text NOT NULL,
  webhook_url text NOT NULL,
  delivery_mode text NOT NULL DEFAULT 'push'::text,
  deactivation_url text NOT NULL,
  deactivation_mode text NOT NULL DEFAULT 'push'::text,
  is_active boolean NOT NULL,
  is_cancelling boolean NOT NULL DEFAULT false,
  activated_at timestamp(6) with time zone,
  expires_at timestamp(3) with time zone,
  is_subscribed_to_create_events boolean NOT NULL,
  is_subscribed_to_update_events boolean NOT NULL,
  is_subscribed_to_delete_events boolean NOT NULL,
  send_threshold_exceeded_notification boolean NOT NULL,
  merge_while_waiting boolean NOT NULL DEFAULT false,
  max_calls_per_second double precision,
  max_concurrent_calls integer,
  notification_email_address text,
  include_previous_values boolean NOT NULL DEFAULT false,
  payload_format text NOT NULL DEFAULT 'reference'::text,
  alert_format text NOT NULL DEFAULT 'json'::text,
  owner_resource_id integer NOT NULL,
  condition text,
  request_headers text NOT NULL DEFAULT '[]'::text,
  receiver_auth text NOT NULL DEFAULT '{"kind":"none"}'::text,
  ca_certificate text,
  receiver_key_id text,
  receiver_nonce bytea,
  receiver_ciphertext bytea,
  certificate_expires_at timestamp(3) with time zone,
  certificate_told_days smallint,
  signature_kind text NOT NULL DEFAULT 'hmac'::text,
  secret_key_id text NOT NULL,
  secret_nonce bytea NOT NULL,
  secret_ciphertext bytea NOT NULL,
  previous_secret_key_id text,
  previous_secret_nonce bytea,
  previous_secret_ciphertext bytea,
  previous_secret_until timestamp(3) with time zone,
  version integer NOT NULL DEFAULT 1,
  last_sequence bigint NOT NULL DEFAULT 0,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT webhooks_pkey PRIMARY KEY (key),
  CONSTRAINT webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT webhooks_tenant_id_owner_resource_id_fkey FOREIGN KEY (tenant_id, owner_resource_id) REFERENCES resources(tenant_id, id) ON UPDATE CASCADE ON DELETE RESTRICT,
  CONSTRAINT webhooks_cancelling_is_inactive CHECK ((NOT (is_active AND is_cancelling))),
  CONSTRAINT webhooks_deactivation_mode CHECK ((deactivation_mode =
CASE deactivation_url
    WHEN 'pull:'::text THEN 'pull'::text
    ELSE 'push'::text
END)),
  CONSTRAINT webhooks_delivery_mode CHECK ((delivery_mode =
CASE webhook_url
    WHEN 'pull:'::text THEN 'pull'::text
    ELSE 'push'::text
END)),
  CONSTRAINT webhooks_signature_kind CHECK ((signature_kind = ANY (ARRAY['hmac'::text, 'ed25519'::text, 'both'::text])))
) WITH (fillfactor=50);
CREATE INDEX webhooks_cancelling ON webhooks USING btree (key) WHERE is_cancelling;
CREATE INDEX webhooks_certificates ON webhooks USING btree (certificate_expires_at) WHERE ((certificate_expires_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX webhooks_expiring ON webhooks USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX webhooks_guid_key ON webhooks USING btree (guid);
CREATE INDEX webhooks_matching ON webhooks USING btree (tenant_id, entity_type) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_pulled ON webhooks USING btree (key) WHERE ((delivery_mode = 'pull'::text) OR (deactivation_mode = 'pull'::text));
CREATE UNIQUE INDEX webhooks_tenant_id_entity_type_id_key ON webhooks USING btree (tenant_id, entity_type, id);

CREATE TABLE zone_users (
  user_name_folded text NOT NULL,
  zone_id integer NOT NULL,
  CONSTRAINT zone_users_pkey PRIMARY KEY (user_name_folded),
  CONSTRAINT zone_users_zone_id_fkey FOREIGN KEY (zone_id) REFERENCES zones(id) ON UPDATE CASCADE ON DELETE RESTRICT
);
CREATE INDEX zone_users_zone_id_idx ON zone_users USING btree (zone_id);

CREATE TABLE zones (
  id integer NOT NULL DEFAULT nextval('zones_id_seq'::regclass),
  guid uuid NOT NULL DEFAULT gen_random_uuid(),
  name text NOT NULL,
  url text NOT NULL,
  web_url text NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  CONSTRAINT zones_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX zones_default ON zones USING btree (is_default) WHERE is_default;
CREATE UNIQUE INDEX zones_name_key ON zones USING btree (name);

CREATE OR REPLACE FUNCTION grant_first_attempts(tenant integer, entity text, wanted integer, most integer, OUT granted integer, OUT counted integer)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
END $function$
;
CREATE OR REPLACE FUNCTION limited_calls_under_way(key bigint)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN (SELECT count(*) FROM limited_calls WHERE webhook_key = key AND lease_until > clock_timestamp());
END $function$
;

/** The schema as the migrations make it; `npm run record:schema` writes it. */
export const RECORDED_SCHEMA: Readonly<Record<string, string>> = {
  'column checkpoints.note': 'text collate default not null',
  'column checkpoints.peaks': 'bytea not null',
  'column checkpoints.signed_at': 'timestamp with time zone not null',
  'column checkpoints.size': 'bigint not null',
  'column claims.account': 'text collate C not null',
  'column claims.amount': 'numeric',
  'column claims.claim': 'integer not null',
  'column claims.claimed_at': 'timestamp with time zone not null',
  'column claims.code': 'text collate C',
  'column claims.currency': 'text collate C not null',
  'column claims.direction': 'text collate C not null',
  'column claims.ended_at': 'timestamp with time zone',
  'column claims.environment': 'text collate C not null',
  'column claims.failure': 'text collate C',
  'column claims.first_run_id': 'text collate C not null',
  'column claims.handled_at': 'timestamp with time zone',
  'column claims.key': 'text collate C not null',
  'column claims.kind': 'text collate C not null',
  'column claims.listed': 'boolean not null',
  'column claims.may_be_paid': 'boolean not null',
  'column claims.metadata': 'jsonb',
  'column claims.metadata_salt': 'text collate C',
  'column claims.money': 'text collate C not null',
  'column claims.outcome': 'text collate C not null',
  'column claims.paid': 'boolean not null',
  'column claims.paid_after': 'timestamp with time zone not null',
  'column claims.parked': 'boolean not null',
  'column claims.reference_id': 'text collate C',
  'column claims.reference_parts':
    'text[] collate default generated s default paysession_ledger.parts_of(reference_id)',
  'column claims.return_code': 'text collate C',
  'column claims.returned_at': 'timestamp with time zone',
  'column claims.session_id': 'text collate C',
  'column claims.settled_at': 'timestamp with time zone',
  'column claims.stands': 'boolean not null',
  'column claims.status': 'text collate C',
  'column claims.trimmed_reference': 'text collate C',
  'column entries.at': 'timestamp with time zone not null',
  'column entries.body': 'text collate default not null',
  'column entries.claim': 'integer not null',
  'column entries.environment': 'text collate C not null',
  'column entries.hash': 'bytea not null',
  'column entries.id': 'text collate C not null',
  'column entries.key': 'text collate C not null',
  'column entries.kind': 'text collate C not null',
  'column entries.number': 'integer not null',
  'column entries.previous': 'bytea not null',
  'column entries.recorded_at': 'timestamp with time zone not null',
  'column entries.sealed': 'bytea',
  'column entries.written_at': 'timestamp with time zone not null default clock_timestamp()',
  'column log.environment': 'text collate C not null',
  'column log.key': 'text collate C not null',
  'column log.leaf': 'bytea not null',
  'column log.number': 'integer not null',
  'column log.position': 'bigint not null',
  'column migrations.applied_at': 'timestamp with time zone not null default clock_timestamp()',
  'column migrations.name': 'text collate default not null',
  'column migrations.number': 'integer not null',
  'column namespaces.environment': 'text collate C not null',
  'column namespaces.namespace': 'text collate C not null',
  'column namespaces.namespace_id': 'text collate C not null',
  'column namespaces.seen_at': 'timestamp with time zone not null',
  'column session_keys.environment': 'text collate C not null',
  'column session_keys.key': 'text collate C not null',
  'column session_keys.wrapped': 'bytea',
  'column session_keys.wrapped_with': 'text collate default',
  'column unsequenced.environment': 'text collate C not null',
  'column unsequenced.key': 'text collate C not null',
  'column unsequenced.number': 'integer not null',
  'column webhook_endpoints.down_since': 'timestamp with time zone',
  'column webhook_endpoints.environment': 'text collate C not null',
  'column webhook_endpoints.failing_since': 'timestamp with time zone',
  'column webhook_endpoints.is_passing': 'boolean not null default false',
  'column webhook_endpoints.last_failure_at': 'timestamp with time zone',
  'column webhook_endpoints.last_outcome': 'text collate default',
  'column webhook_endpoints.last_success_at': 'timestamp with time zone',
  'column webhook_endpoints.name': 'text collate C not null',
  'column webhook_endpoints.probe_at': 'timestamp with time zone',
  'column webhook_endpoints.registered_at': 'timestamp with time zone not null default clock_timestamp()',
  'column webhook_outbox.attempts': 'integer not null default 0',
  'column webhook_outbox.due_at': 'timestamp with time zone not null',
  'column webhook_outbox.endpoint': 'text collate C not null',
  'column webhook_outbox.environment': 'text collate C not null',
  'column webhook_outbox.from_number': 'integer not null',
  'column webhook_outbox.key': 'text collate C not null',
  'column webhook_outbox.lease': 'text collate default',
  'column webhook_outbox.missed_from': 'integer',
  'column webhook_outbox.passed': "text[] collate C not null default '{}'::text[]",
  'column webhook_outbox.to_number': 'integer not null',
  'column webhook_outbox.waits_since': 'timestamp with time zone not null',
  'column webhook_settings.began_at': 'timestamp with time zone not null default clock_timestamp()',
  'column webhook_settings.endpoint': 'text collate C not null',
  'column webhook_settings.environment': 'text collate C not null',
  'column webhook_settings.fingerprint': 'text collate C not null',
  'column webhook_settings.seen_at': 'timestamp with time zone not null default clock_timestamp()',
  'column writers.environment': 'text collate C not null',
  'column writers.role': 'text collate C not null',
  'constraint checkpoints.checkpoints_pkey': 'PRIMARY KEY (size)',
  'constraint checkpoints.checkpoints_size_check': 'CHECK ((size >= 0))',
  'constraint claims.claims_pkey': 'PRIMARY KEY (environment, key, claim)',
  'constraint entries.entries_at_check': 'CHECK (isfinite(at))',
  'constraint entries.entries_claim_check': 'CHECK ((claim >= 1))',
  'constraint entries.entries_environment_key_claim_id_key': 'UNIQUE (environment, key, claim, id)',
  'constraint entries.entries_number_check': 'CHECK ((number >= 1))',
  'constraint entries.entries_pkey': 'PRIMARY KEY (environment, key, number)',
  'constraint entries.entries_recorded_at_check': 'CHECK (isfinite(recorded_at))',
  'constraint log.log_environment_key_number_key': 'UNIQUE (environment, key, number)',
  'constraint log.log_pkey': 'PRIMARY KEY ("position")',
  'constraint log.log_position_check': 'CHECK (("position" >= 0))',
  'constraint migrations.migrations_pkey': 'PRIMARY KEY (number)',
  'constraint namespaces.namespaces_pkey': 'PRIMARY KEY (environment, namespace_id)',
  'constraint session_keys.session_keys_pkey': 'PRIMARY KEY (environment, key)',
  'constraint unsequenced.unsequenced_pkey': 'PRIMARY KEY (environment, key, number)',
  'constraint webhook_endpoints.webhook_endpoints_pkey': 'PRIMARY KEY (environment, name)',
  'constraint webhook_outbox.webhook_outbox_environment_endpoint_fkey':
    'FOREIGN KEY (environment, endpoint) REFERENCES paysession_ledger.webhook_endpoints(environment, name) ON DELETE CASCADE',
  'constraint webhook_outbox.webhook_outbox_pkey': 'PRIMARY KEY (environment, endpoint, key)',
  'constraint webhook_settings.webhook_settings_environment_endpoint_fkey':
    'FOREIGN KEY (environment, endpoint) REFERENCES paysession_ledger.webhook_endpoints(environment, name) ON DELETE CASCADE',
  'constraint webhook_settings.webhook_settings_pkey': 'PRIMARY KEY (environment, endpoint, fingerprint)',
  'constraint writers.writers_pkey': 'PRIMARY KEY (role, environment)',
  'function await_sequencer()':
    'returns trigger plpgsql kind f v u security definer {"search_path=pg_catalog, pg_temp"} 524ef17b41cfa9dfe796295e4243fc667e9b4b0d9feeca933868ccbf8064c40a',
  'function parts_of(whole text)':
    'returns text[] sql kind f i s 9a062981d551fbe949e213d85abc99fc91701e254fa27b7ae75aca738950f3eb',
  'function queue_webhooks()':
    'returns trigger plpgsql kind f v u security definer {"search_path=pg_catalog, pg_temp"} 833a94fc93852a73130d941bcedc8871daa5c899b90f1835c9ebd67c419b8b31',
  'function refuse_change()':
    'returns trigger plpgsql kind f v u 96731611f07d957b05c1a529c40062e98b9b6b04e3b992aed6f7d16ca0f0538c',
  'function refuse_stranger()':
    'returns trigger plpgsql kind f v u {"search_path=pg_catalog, pg_temp"} 243b3d6fb967f5dcee66e5e4f26da92abae49f9f6c9e7b0910797c0d16d37118',
  'function sends_webhook(kind text)':
    'returns boolean sql kind f i s f0d0edc40a2eaa17ebb47ad2fcaad2fa99789714c9b15735d344ceece7e841c1',
  'index checkpoints_pkey':
    'CREATE UNIQUE INDEX checkpoints_pkey ON paysession_ledger.checkpoints USING btree (size)',
  'index claims_pkey':
    'CREATE UNIQUE INDEX claims_pkey ON paysession_ledger.claims USING btree (environment, key, claim)',
  'index entries_environment_key_claim_id_key':
    'CREATE UNIQUE INDEX entries_environment_key_claim_id_key ON paysession_ledger.entries USING btree (environment, key, claim, id)',
  'index entries_pkey':
    'CREATE UNIQUE INDEX entries_pkey ON paysession_ledger.entries USING btree (environment, key, number)',
  'index log_environment_key_number_key':
    'CREATE UNIQUE INDEX log_environment_key_number_key ON paysession_ledger.log USING btree (environment, key, number)',
  'index log_pkey': 'CREATE UNIQUE INDEX log_pkey ON paysession_ledger.log USING btree ("position")',
  'index migrations_pkey':
    'CREATE UNIQUE INDEX migrations_pkey ON paysession_ledger.migrations USING btree (number)',
  'index namespaces_pkey':
    'CREATE UNIQUE INDEX namespaces_pkey ON paysession_ledger.namespaces USING btree (environment, namespace_id)',
  'index one_claim_a_session':
    'CREATE UNIQUE INDEX one_claim_a_session ON paysession_ledger.claims USING btree (environment, session_id) WHERE (session_id IS NOT NULL)',
  'index one_standing_claim_a_key':
    'CREATE UNIQUE INDEX one_standing_claim_a_key ON paysession_ledger.claims USING btree (environment, key) WHERE stands',
  'index session_keys_pkey':
    'CREATE UNIQUE INDEX session_keys_pkey ON paysession_ledger.session_keys USING btree (environment, key)',
  'index unsequenced_pkey':
    'CREATE UNIQUE INDEX unsequenced_pkey ON paysession_ledger.unsequenced USING btree (environment, key, number)',
  'index webhook_endpoints_pkey':
    'CREATE UNIQUE INDEX webhook_endpoints_pkey ON paysession_ledger.webhook_endpoints USING btree (environment, name)',
  'index webhook_outbox_pkey':
    'CREATE UNIQUE INDEX webhook_outbox_pkey ON paysession_ledger.webhook_outbox USING btree (environment, endpoint, key)',
  'index webhook_settings_pkey':
    'CREATE UNIQUE INDEX webhook_settings_pkey ON paysession_ledger.webhook_settings USING btree (environment, endpoint, fingerprint)',
  'index writers_pkey':
    'CREATE UNIQUE INDEX writers_pkey ON paysession_ledger.writers USING btree (role, environment)',
  'table checkpoints': 'table',
  'table claims': 'table',
  'table entries': 'table',
  'table log': 'table',
  'table migrations': 'table',
  'table namespaces': 'table',
  'table session_keys': 'table',
  'table unsequenced': 'table',
  'table webhook_endpoints': 'table',
  'table webhook_outbox': 'table',
  'table webhook_settings': 'table',
  'table writers': 'table',
  'trigger checkpoints.checkpoints_are_kept':
    'CREATE TRIGGER checkpoints_are_kept BEFORE DELETE OR UPDATE ON paysession_ledger.checkpoints FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger checkpoints.checkpoints_are_kept_all':
    'CREATE TRIGGER checkpoints_are_kept_all BEFORE TRUNCATE ON paysession_ledger.checkpoints FOR EACH STATEMENT EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger claims.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.claims FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger entries.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.entries FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger entries.entries_are_kept':
    'CREATE TRIGGER entries_are_kept BEFORE DELETE OR UPDATE ON paysession_ledger.entries FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger entries.entries_are_kept_all':
    'CREATE TRIGGER entries_are_kept_all BEFORE TRUNCATE ON paysession_ledger.entries FOR EACH STATEMENT EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger entries.entries_await_the_sequencer':
    'CREATE TRIGGER entries_await_the_sequencer AFTER INSERT ON paysession_ledger.entries FOR EACH ROW EXECUTE FUNCTION paysession_ledger.await_sequencer()',
  'trigger entries.entries_queue_webhooks':
    'CREATE TRIGGER entries_queue_webhooks AFTER INSERT ON paysession_ledger.entries FOR EACH ROW WHEN (paysession_ledger.sends_webhook(new.kind)) EXECUTE FUNCTION paysession_ledger.queue_webhooks()',
  'trigger log.log_is_kept':
    'CREATE TRIGGER log_is_kept BEFORE DELETE OR UPDATE ON paysession_ledger.log FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger log.log_is_kept_all':
    'CREATE TRIGGER log_is_kept_all BEFORE TRUNCATE ON paysession_ledger.log FOR EACH STATEMENT EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger namespaces.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.namespaces FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger session_keys.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.session_keys FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger session_keys.session_keys_are_kept':
    'CREATE TRIGGER session_keys_are_kept BEFORE DELETE ON paysession_ledger.session_keys FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger session_keys.session_keys_are_kept_all':
    'CREATE TRIGGER session_keys_are_kept_all BEFORE TRUNCATE ON paysession_ledger.session_keys FOR EACH STATEMENT EXECUTE FUNCTION paysession_ledger.refuse_change()',
  'trigger webhook_endpoints.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.webhook_endpoints FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger webhook_outbox.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.webhook_outbox FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
  'trigger webhook_settings.a_stranger_is_refused':
    'CREATE TRIGGER a_stranger_is_refused BEFORE INSERT OR DELETE OR UPDATE ON paysession_ledger.webhook_settings FOR EACH ROW EXECUTE FUNCTION paysession_ledger.refuse_stranger()',
};

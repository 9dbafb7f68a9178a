-- The record

-- Every fact of a key's sessions, in the order in which it was written. Rows are added and never changed.
create table paysession_ledger.entries (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Counts the key's entries from 1, without a gap.
  number integer not null check (number >= 1),
  -- The claim that the fact is about: the key's claims are counted from 1. A take-over also changes the claim that it takes from, and an erasure
  -- applies to all claims of the key.
  claim integer not null check (claim >= 1),
  -- The same fact of a claim, recorded again, has the same id.
  id text collate "C" not null,
  kind text collate "C" not null,
  -- Both times are in whole milliseconds. The hash covers them.
  at timestamptz not null check (isfinite(at)),
  recorded_at timestamptz not null check (isfinite(recorded_at)),
  -- The time of writing by the database's one clock: `recorded_at` has the time of the machine that records. Only the waits of webhooks, the
  -- choice of those to send again, and the age of a restored ledger depend on `written_at`, so the hash does not cover it.
  written_at timestamptz not null default clock_timestamp(),
  -- JSON, as text, because the hash covers these bytes.
  body text not null,
  -- The personal part, encrypted with the session's own key; null if there is none, or the key was erased before.
  sealed bytea,
  -- The hash of the entry before. The first entry has a hash of the session's own key, so that no other own key can take its place.
  previous bytea not null,
  hash bytea not null,
  primary key (environment, key, number),
  unique (environment, key, claim, id)
);

-- The key that encrypts a session's personal data. Erasing the key erases the data, wherever copies are.
create table paysession_ledger.session_keys (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Null after the erasure.
  wrapped bytea,
  -- The key of the key ring that wraps it; null without a key ring, and after the erasure.
  wrapped_with text,
  primary key (environment, key)
);

-- The log and its proof

-- The entries that have no place in the log yet. Numbers from a sequence do not follow the order of commits, so one sequencer
-- assigns places to the entries that it can see.
create table paysession_ledger.unsequenced (
  environment text collate "C" not null,
  key text collate "C" not null,
  number integer not null,
  primary key (environment, key, number)
);

-- Runs with the owner's rights, so that a role that records cannot add a row without an entry.
create function paysession_ledger.await_sequencer() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  insert into paysession_ledger.unsequenced (environment, key, number)
    values (new.environment, new.key, new.number);
  return null;
end
$$;

create trigger entries_await_the_sequencer after insert on paysession_ledger.entries
  for each row execute function paysession_ledger.await_sequencer();

-- One log of all entries: the sequencer assigns each a place, without a gap. Rows are added and never changed.
create table paysession_ledger.log (
  -- Counts from 0.
  position bigint primary key check (position >= 0),
  environment text collate "C" not null,
  key text collate "C" not null,
  number integer not null,
  -- The leaf of the Merkle tree: the hash of the entry's hash (RFC 6962).
  leaf bytea not null,
  unique (environment, key, number)
);

-- The signed checkpoints over the log. Rows are added and never changed.
create table paysession_ledger.checkpoints (
  -- The number of entries in the tree.
  size bigint primary key check (size >= 0),
  -- The signed note, as it is published (C2SP tlog-checkpoint).
  note text not null,
  -- The roots of the tree's complete subtrees, the largest first. The tree grows from them.
  peaks bytea not null,
  signed_at timestamptz not null
);

-- No role changes or removes a row of the record, its owner included.
create function paysession_ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the ledger are never changed' using errcode = 'insufficient_privilege';
end
$$;

create trigger entries_are_kept before update or delete on paysession_ledger.entries
  for each row execute function paysession_ledger.refuse_change();
create trigger entries_are_kept_all before truncate on paysession_ledger.entries
  for each statement execute function paysession_ledger.refuse_change();
-- An erasure updates a key, and so does a rewrap.
create trigger session_keys_are_kept before delete on paysession_ledger.session_keys
  for each row execute function paysession_ledger.refuse_change();
create trigger session_keys_are_kept_all before truncate on paysession_ledger.session_keys
  for each statement execute function paysession_ledger.refuse_change();
create trigger log_is_kept before update or delete on paysession_ledger.log
  for each row execute function paysession_ledger.refuse_change();
create trigger log_is_kept_all before truncate on paysession_ledger.log
  for each statement execute function paysession_ledger.refuse_change();
create trigger checkpoints_are_kept before update or delete on paysession_ledger.checkpoints
  for each row execute function paysession_ledger.refuse_change();
create trigger checkpoints_are_kept_all before truncate on paysession_ledger.checkpoints
  for each statement execute function paysession_ledger.refuse_change();

-- Webhooks

-- The endpoints that receive webhooks. Senders register the endpoints of their settings; URLs and secrets stay with the senders.
create table paysession_ledger.webhook_endpoints (
  environment text collate "C" not null,
  name text collate "C" not null,
  registered_at timestamptz not null default clock_timestamp(),
  -- True if the endpoint is forgotten soon after its last sender stops.
  is_passing boolean not null default false,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- The last answer: `delivered`, the HTTP status of a refusal, or the reason for a missing answer.
  last_outcome text,
  -- When the endpoint went down, and when senders try one session again. It refused messages of several sessions in a row, or is gone.
  down_since timestamptz,
  probe_at timestamptz,
  -- The endpoint was down for three days, or is gone, so senders no longer try it. The outbox keeps its webhooks until they are sent again.
  failing_since timestamptz,
  primary key (environment, name)
);

-- The settings with which senders have an endpoint. During a deployment there may be several.
create table paysession_ledger.webhook_settings (
  environment text collate "C" not null,
  endpoint text collate "C" not null,
  -- Distinguishes one URL with its secrets and options from another, and reveals nothing else about them.
  fingerprint text collate "C" not null,
  -- Since when senders with these settings have been running without a break, and when one last was.
  began_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  primary key (environment, endpoint, fingerprint),
  foreign key (environment, endpoint) references paysession_ledger.webhook_endpoints (environment, name) on delete cascade
);

-- The outbox: the entries of a session that an endpoint has not received yet. A row is deleted once all of them are done and none was given up.
create table paysession_ledger.webhook_outbox (
  environment text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  from_number integer not null,
  to_number integer not null,
  -- When the first of them was recorded.
  waits_since timestamptz not null,
  -- When a sender tries next; while a sender holds the row, when another may take it over; infinity if no entry waits.
  due_at timestamptz not null,
  -- Identifies the lease by which a sender holds the row.
  lease text,
  -- The number of refusals of the first of them. Refused probes do not count.
  attempts integer not null default 0,
  -- The settings that filter out a message of the first of them. The entry is done once all settings in use have passed it.
  passed text[] collate "C" not null default '{}',
  -- The first entry that was given up, if any.
  missed_from integer,
  primary key (environment, endpoint, key),
  foreign key (environment, endpoint) references paysession_ledger.webhook_endpoints (environment, name) on delete cascade
);

-- The last deliveries of each message to an endpoint, for a person who looks for a message. The entries are the record: senders remove what is
-- a month old, and a row may be missing.
create table paysession_ledger.webhook_deliveries (
  environment text collate "C" not null,
  -- The message's id.
  id text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  -- The entry that the message is about.
  number integer not null,
  type text collate "C" not null,
  -- The state after the last answer: delivered, refused or givenUp.
  state text collate "C" not null,
  attempts integer not null default 1,
  -- The last ten answers, the oldest first, each with `at` and `outcome`. Nothing else of an answer is kept.
  answers jsonb not null,
  -- When the last answer came, by the database's clock.
  written_at timestamptz not null default clock_timestamp(),
  -- Begins with the endpoint, since forgetting one deletes its rows.
  primary key (environment, endpoint, id),
  foreign key (environment, endpoint) references paysession_ledger.webhook_endpoints (environment, name) on delete cascade
);

-- Runs with the owner's rights, so that a role that records needs none on the outbox and an entry never lacks its webhooks.
create function paysession_ledger.queue_webhooks() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  insert into paysession_ledger.webhook_outbox (environment, endpoint, key, from_number, to_number, waits_since, due_at)
    select new.environment, name, new.key, new.number, new.number, new.written_at, clock_timestamp()
      from paysession_ledger.webhook_endpoints
      where environment = new.environment
      order by name
    on conflict (environment, endpoint, key) do update set
      to_number = greatest(webhook_outbox.to_number, excluded.to_number),
      waits_since = case when webhook_outbox.due_at = 'infinity' then excluded.waits_since else webhook_outbox.waits_since end,
      due_at = case when webhook_outbox.due_at = 'infinity' then excluded.due_at else webhook_outbox.due_at end;
  return null;
end
$$;

create function paysession_ledger.sends_webhook(kind text) returns boolean language sql immutable parallel safe
  return kind not in ('claimed', 'createUnknown', 'cancel', 'anomaly', 'erased', 'handled');

create trigger entries_queue_webhooks after insert on paysession_ledger.entries
  for each row when (paysession_ledger.sends_webhook(new.kind))
  execute function paysession_ledger.queue_webhooks();

-- The conditions that endpoints for operators receive messages about: an account's sessions wait for a decision, or its calls are paused.
-- Workers and senders report a condition repeatedly while it lasts.
create table paysession_ledger.ops_conditions (
  environment text collate "C" not null,
  kind text collate "C" not null,
  account text collate "C" not null,
  began_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  -- The cause of a pause, or the number of sessions.
  detail text collate "C" not null,
  -- The endpoints that have received the message about it.
  sent_to text[] collate "C" not null default '{}',
  primary key (environment, kind, account)
);

-- The summary of each claim

create function paysession_ledger.parts_of(whole text) returns text[] language sql immutable parallel safe
  -- The trigrams of a text. A text contains another only if it has all trigrams of that one.
  return array(select distinct substr(lower(whole), place, 3) from generate_series(1, length(whole) - 2) place);

-- The current state of each claim, for lists, sums and charts. The statement that adds an entry also writes it, as the fold of the
-- key's entries (`src/protocol/ledger/fold.ts`). A verification folds all entries again and compares.
create table paysession_ledger.claims (
  environment text collate "C" not null,
  key text collate "C" not null,
  claim integer not null,
  first_run_id text collate "C" not null,
  -- True if the claim answers for the key.
  stands boolean not null,
  -- True if lists show the payment: the claim answers for the key, or has a session of its own.
  listed boolean not null,
  kind text collate "C" not null,
  direction text collate "C" not null,
  account text collate "C" not null,
  outcome text collate "C" not null,
  status text collate "C",
  code text collate "C",
  failure text collate "C",
  paid boolean not null,
  amount numeric,
  currency text collate "C" not null,
  reference_id text collate "C",
  -- The payment service's id, in lower case; null if the claim has no session, or another claim of the key has taken it over.
  session_id text collate "C",
  claimed_at timestamptz not null,
  ended_at timestamptz,
  settled_at timestamptz,
  returned_at timestamptz,
  return_code text collate "C",
  -- When a person reported what was done about returned money.
  handled_at timestamptz,
  -- The place of the money: each payment is in one place.
  money text collate "C" not null,
  -- True if the session waits for a person's decision.
  parked boolean not null,
  -- For reconciliation: true if the money has moved or may still move; true if money of any amount may be its money; and the time before which
  -- the money cannot have moved.
  may_be_paid boolean not null,
  fits_any_amount boolean not null,
  paid_after timestamptz not null,
  -- The reference without the white space at its ends; null if it has none there.
  trimmed_reference text collate "C",
  -- The trigrams by which a search finds the reference. Stored, because computing them for each row of a search is slow.
  reference_parts text[] generated always as (paysession_ledger.parts_of(reference_id)) stored,
  -- The searchable metadata, in plain text only here so that an erasure removes them, and the salt of their hash. The entry has the hash.
  metadata jsonb,
  metadata_salt text collate "C",
  primary key (environment, key, claim)
);

-- One claim answers for a key.
create unique index one_standing_claim_a_key on paysession_ledger.claims (environment, key) where stands;
-- No two claims of an environment have the same session of the payment service.
create unique index one_claim_a_session on paysession_ledger.claims (environment, session_id) where session_id is not null;

-- Reconciliation

-- The lines of reconciliation files that no payment matches. A line belongs to no session, so it is not an entry. No role removes one. It keeps its
-- reference until a run matches it or a person explains it.
create table paysession_ledger.unmatched_lines (
  environment text collate "C" not null,
  -- A digest of the line's content and account, so that the same file adds nothing when it is read again.
  id text collate "C" not null,
  -- The account of the line's file. Null if the run named none.
  account text collate "C",
  -- The last run that left the line waiting.
  run_id text collate "C" not null,
  -- The order in which lines were kept.
  number bigint generated always as identity,
  -- Null if the line cannot be read.
  kind text collate "C",
  day date,
  amount numeric(16, 2),
  currency text collate "C",
  -- The reference is kept only if the line has no session id.
  session_id text collate "C",
  reference_id text collate "C",
  code text collate "C",
  reason text collate "C" not null,
  -- Where the line was first: the file's name without its folders.
  file text collate "C" not null,
  line integer not null,
  seen_at timestamptz not null,
  matched_at timestamptz,
  matched_key text collate "C",
  explained_at timestamptz,
  explained_by text,
  explanation text,
  primary key (environment, id),
  check ((matched_at is null) = (matched_key is null)),
  check (num_nulls(explained_at, explained_by, explanation) in (0, 3)),
  check (reference_id is null or (session_id is null and matched_at is null and explained_at is null))
);

-- The counts of each run of a reconciliation. A run that was stopped has no end.
create table paysession_ledger.reconciliation_runs (
  environment text collate "C" not null,
  id text collate "C" not null,
  file text collate "C" not null,
  began_at timestamptz not null,
  ended_at timestamptz,
  recorded integer not null default 0,
  known integer not null default 0,
  unmatched integer not null default 0,
  -- The lines of earlier runs that this run has matched.
  resolved integer not null default 0,
  primary key (environment, id)
);

create trigger unmatched_lines_are_kept before delete on paysession_ledger.unmatched_lines
  for each row execute function paysession_ledger.refuse_change();
create trigger unmatched_lines_are_kept_all before truncate on paysession_ledger.unmatched_lines
  for each statement execute function paysession_ledger.refuse_change();

-- Whose environments these are

-- The namespaces whose workers record in an environment. A key is unique in an environment, so no two namespaces should share one.
create table paysession_ledger.namespaces (
  environment text collate "C" not null,
  -- Servers may have namespaces of the same name.
  namespace_id text collate "C" not null,
  namespace text collate "C" not null,
  -- When a worker of the namespace was last running in this environment.
  seen_at timestamptz not null,
  primary key (environment, namespace_id)
);

-- Who may write in which environment

-- The roles of workers and keepers, with their environments. The owner of the tables writes in all.
create table paysession_ledger.writers (
  role text collate "C" not null,
  environment text collate "C" not null,
  primary key (role, environment)
);
-- The triggers below read it with the rights of the role that writes, which may be a role with rights of its own.
grant select on paysession_ledger.writers to public;

create function paysession_ledger.refuse_stranger() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp as $$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') and exists (
    select from (values (new.environment), (old.environment)) as written (environment)
    where written.environment is not null and not exists (
      select from paysession_ledger.writers join pg_roles on rolname = role
      where writers.environment = written.environment and pg_has_role(pg_roles.oid, 'usage')
    )
  ) then
    raise exception 'the role % writes in an environment that it was not given', current_user using errcode = 'insufficient_privilege';
  end if;
  return coalesce(new, old);
end
$$;

create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.entries
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.session_keys
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.claims
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.webhook_endpoints
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.webhook_settings
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.webhook_outbox
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.webhook_deliveries
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.namespaces
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.unmatched_lines
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.reconciliation_runs
  for each row execute function paysession_ledger.refuse_stranger();
create trigger a_stranger_is_refused before insert or update or delete on paysession_ledger.ops_conditions
  for each row execute function paysession_ledger.refuse_stranger();

-- Reports

-- The roles that read the views below, with their environments. The owner of the tables reads all.
create table paysession_ledger.readers (
  role text collate "C" not null,
  environment text collate "C" not null,
  primary key (role, environment)
);

-- Views for reports by SQL. Their columns are permanent; none is personal or encrypted, and none leads to a payor's page. The views read
-- the tables with the owner's rights, so that a role that reads them needs none on the tables.
create view paysession_ledger.report_payments with (security_barrier) as
  select c.environment, c.key, c.claim, c.kind, c.direction, c.account, c.outcome, c.status, c.code, c.failure, c.paid, c.amount,
    c.currency, c.reference_id, left(c.session_id, 8) as session_short_id, c.claimed_at, c.ended_at, c.settled_at, c.returned_at,
    c.return_code, c.handled_at, c.money, c.parked
  from paysession_ledger.claims c join pg_class owned on owned.oid = 'paysession_ledger.claims'::regclass
  where c.listed and (pg_has_role(owned.relowner, 'usage') or c.environment in (
    select r.environment from paysession_ledger.readers r join pg_roles on pg_roles.rolname = r.role
    where pg_has_role(pg_roles.oid, 'usage')
  ));

create view paysession_ledger.report_entries with (security_barrier) as
  select e.environment, e.key, e.number, e.claim, e.kind, e.at, e.recorded_at, e.body::json ->> 'status' as status,
    e.body::json ->> 'code' as code, (e.body::json ->> 'paid')::boolean as paid, (e.body::json ->> 'amount')::numeric as amount,
    e.body::json ->> 'failure' as failure, e.body::json ->> 'decision' as decision, e.body::json ->> 'result' as result
  from paysession_ledger.entries e join pg_class owned on owned.oid = 'paysession_ledger.entries'::regclass
  where pg_has_role(owned.relowner, 'usage') or e.environment in (
    select r.environment from paysession_ledger.readers r join pg_roles on pg_roles.rolname = r.role
    where pg_has_role(pg_roles.oid, 'usage')
  );

-- Indexes

-- For webhooks that are sent again.
create index entries_by_writing on paysession_ledger.entries (environment, written_at);

create index webhook_outbox_by_due on paysession_ledger.webhook_outbox (environment, endpoint, due_at);
create index webhook_deliveries_by_id on paysession_ledger.webhook_deliveries (environment, id);
create index webhook_deliveries_by_key on paysession_ledger.webhook_deliveries (environment, key, number);
create index webhook_deliveries_by_writing on paysession_ledger.webhook_deliveries (environment, written_at);

-- For the pages of payments.
create index claims_by_claim on paysession_ledger.claims (environment, claimed_at, key, claim) where listed;
create index claims_by_end on paysession_ledger.claims (environment, coalesce(ended_at, timestamptz '-infinity'), key, claim) where listed;
create index claims_by_amount on paysession_ledger.claims (environment, coalesce(amount, -1), key, claim) where listed;
-- Sessions that wait for a decision.
create index claims_parked on paysession_ledger.claims (environment, account) where parked and stands;
-- Returns that wait for a person.
create index claims_in_question on paysession_ledger.claims (environment, claimed_at, key, claim)
  where listed and returned_at is not null and handled_at is null;
-- The planner reads no statistics from a partial index: without these it would read the whole table for a few large amounts.
create statistics paysession_ledger.amounts_of_claims on (coalesce(amount, -1)) from paysession_ledger.claims;
create statistics paysession_ledger.ends_of_claims on (coalesce(ended_at, timestamptz '-infinity')) from paysession_ledger.claims;
create index claims_by_account on paysession_ledger.claims (environment, account, claimed_at, key, claim) where listed;
-- Few payments go out.
create index claims_out on paysession_ledger.claims (environment, claimed_at, key, claim) where listed and direction = 'CREDIT';
create index claims_by_money on paysession_ledger.claims (environment, money, claimed_at, key, claim) where listed;
-- Money that has not arrived.
create index claims_outstanding on paysession_ledger.claims (environment, ended_at) where listed and money = 'paid';
create index claims_by_reference on paysession_ledger.claims (environment, reference_id, amount, paid_after) where listed;
create index claims_by_trimmed_reference on paysession_ledger.claims (environment, trimmed_reference, amount, paid_after)
  where listed and trimmed_reference is not null;
create index claims_of_any_amount on paysession_ledger.claims (environment, reference_id, paid_after) where listed and fits_any_amount;
create index claims_of_any_amount_trimmed on paysession_ledger.claims (environment, trimmed_reference, paid_after)
  where listed and fits_any_amount and trimmed_reference is not null;
create index claims_by_part_of_reference on paysession_ledger.claims using gin (reference_parts);
create index claims_by_metadata on paysession_ledger.claims using gin (metadata jsonb_path_ops) where metadata is not null;
create index claims_by_settlement on paysession_ledger.claims (environment, settled_at, reference_id, amount) where settled_at is not null;
create index claims_by_return on paysession_ledger.claims (environment, returned_at, reference_id, amount) where returned_at is not null;

-- For the pages of reconciliation.
create index unmatched_lines_by_number on paysession_ledger.unmatched_lines (environment, number);
create index unmatched_lines_waiting on paysession_ledger.unmatched_lines (environment, number)
  where matched_at is null and explained_at is null;
create index reconciliation_runs_by_begin on paysession_ledger.reconciliation_runs (environment, began_at);

-- The record

-- Every fact of a session, in the order in which it was written. Rows are added and never changed.
create table paysession_ledger.entries (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Counts the session's entries from 1, without a gap.
  number integer not null check (number >= 1),
  -- The same fact, recorded again, has the same id.
  id text collate "C" not null,
  kind text collate "C" not null,
  at timestamptz not null,
  recorded_at timestamptz not null,
  -- JSON, as text, because the hash covers these bytes.
  body text not null,
  -- The personal part, encrypted with the session's own key.
  sealed bytea,
  -- The hash of the session's entry before; empty for the first.
  previous bytea not null,
  hash bytea not null,
  primary key (environment, key, number),
  unique (environment, key, id)
);

-- The key that encrypts a session's personal data. Erasing the key erases the data, wherever copies are.
create table paysession_ledger.session_keys (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Null after the erasure.
  wrapped bytea,
  -- The key of the key ring that wraps it; null without a key ring.
  wrapped_with text,
  primary key (environment, key)
);

-- The log and its proof

-- The entries that have no place in the log yet. Numbers from a sequence do not follow the order of commits, so one sequencer
-- gives places to the entries that it can see.
create table paysession_ledger.unsequenced (
  environment text collate "C" not null,
  key text collate "C" not null,
  number integer not null,
  primary key (environment, key, number)
);

create function paysession_ledger.await_sequencer() returns trigger language plpgsql as $$
begin
  insert into paysession_ledger.unsequenced (environment, key, number)
    values (new.environment, new.key, new.number);
  return null;
end
$$;

create trigger entries_await_the_sequencer after insert on paysession_ledger.entries
  for each row execute function paysession_ledger.await_sequencer();

-- One log of all entries: each has a place, without a gap. Rows are added and never changed.
create table paysession_ledger.log (
  -- Counts from 0.
  position bigint primary key,
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
  size bigint primary key,
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
-- An erasure updates a key.
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
create table paysession_ledger.news_endpoints (
  environment text collate "C" not null,
  name text collate "C" not null,
  registered_at timestamptz not null default clock_timestamp(),
  -- When a sender with this endpoint in its settings was last running.
  seen_at timestamptz not null default clock_timestamp(),
  -- Distinguishes one URL with its secrets from another, and reveals nothing else about them.
  fingerprint text not null,
  -- The endpoint is forgotten soon after its last sender stops.
  is_passing boolean not null default false,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- The last answer: an HTTP status, or why there was none.
  last_outcome text,
  -- The endpoint has refused many messages in a row: senders try one message at a time, at these times.
  down_since timestamptz,
  probes integer not null default 0,
  probe_at timestamptz,
  -- The endpoint was down for so long that the outbox keeps nothing more for it.
  failing_since timestamptz,
  -- The number of sessions whose webhooks were given up, and when the first of these was recorded.
  given_up bigint not null default 0,
  missing_since timestamptz,
  primary key (environment, name)
);

-- The outbox: the entries of a session that an endpoint has not received yet. A delivered row is deleted.
create table paysession_ledger.news (
  environment text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  from_number integer not null,
  to_number integer not null,
  -- When the first of them was recorded.
  waits_since timestamptz not null,
  -- When a sender tries next; while a sender holds the row, when another may take it over.
  due_at timestamptz not null,
  -- The sender that holds the row.
  lease text,
  -- How often the first of them was refused.
  attempts integer not null default 0,
  primary key (environment, endpoint, key),
  foreign key (environment, endpoint) references paysession_ledger.news_endpoints (environment, name) on delete cascade
);

-- Runs with the owner's rights, so that a role that records needs none on the outbox and an entry never lacks its webhooks.
create function paysession_ledger.tell_news() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  insert into paysession_ledger.news (environment, endpoint, key, from_number, to_number, waits_since, due_at)
    select new.environment, name, new.key, new.number, new.number, new.recorded_at, clock_timestamp()
      from paysession_ledger.news_endpoints
      where environment = new.environment and failing_since is null
      order by name
    on conflict (environment, endpoint, key) do update set to_number = greatest(news.to_number, excluded.to_number);
  return null;
end
$$;

-- `claimed`, `createUnknown`, `cancel`, `anomaly` and `erased` send no webhook.
create trigger entries_are_news after insert on paysession_ledger.entries
  for each row when (new.kind in ('opened', 'state', 'parked', 'decision', 'ended', 'settled', 'returned'))
  execute function paysession_ledger.tell_news();

-- The summary of each session

-- The current state of each session, one row a key, for lists, sums and charts. The entries are the only source: `session_as_told`
-- derives each row from them.
create table paysession_ledger.sessions (
  environment text collate "C" not null,
  key text collate "C" not null,
  kind text collate "C" not null,
  account text collate "C" not null,
  outcome text collate "C" not null,
  status text collate "C",
  code text collate "C",
  failure text collate "C",
  paid boolean not null,
  amount numeric,
  currency text collate "C" not null,
  reference_id text collate "C",
  session_id text collate "C",
  claimed_at timestamptz not null,
  ended_at timestamptz,
  settled_at timestamptz,
  returned_at timestamptz,
  return_code text collate "C",
  -- Where the money is: each session is in one place.
  money text collate "C" not null,
  -- The session waits for a person's decision.
  parked boolean not null,
  -- The trigrams by which a search finds the reference. Stored, because computing them for each row of a search is slow.
  reference_parts text[],
  primary key (environment, key)
);

-- A member of a claim's body. Null if the text has an escape that no text of PostgreSQL can hold (a NUL, half a character), because
-- an index must refuse no claim.
create function paysession_ledger.member_of(body text, name text) returns text language sql immutable parallel safe
  return case when body !~ '\\u(0000|[dD][89a-fA-F])' then body::jsonb ->> name end;

-- A body as PostgreSQL can read it, in any encoding of the database, with `?` for what no text of PostgreSQL can hold (a NUL, half a character).
create function paysession_ledger.read_body(body text) returns jsonb language sql immutable parallel safe
  return regexp_replace(body, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\u003f', 'g')::jsonb;

-- A number of a body; null if the member is not a number.
create function paysession_ledger.number_of(body jsonb, name text) returns numeric language sql immutable parallel safe
  return case jsonb_typeof(body -> name) when 'number' then (body ->> name)::numeric end;

-- The trigrams of a text. A text contains another only if it has all trigrams of that one.
create function paysession_ledger.parts_of(whole text) returns text[] language sql immutable parallel safe
  return array(select distinct substr(lower(whole), place, 3) from generate_series(1, length(whole) - 2) place);

-- Derives the summary of one session from its entries.
create function paysession_ledger.session_as_told(of_environment text, of_key text)
  returns setof paysession_ledger.sessions language sql stable as $$
  with own as materialized (
    select number, id, kind, at, body from paysession_ledger.entries where environment = of_environment and key = of_key
  ), claim as (
    select number, at, paysession_ledger.read_body(body) as body from own where kind = 'claimed' order by number desc limit 1
  ), ended as (
    select o.at, paysession_ledger.read_body(o.body) as body from own o, claim c
      where o.kind = 'ended' and o.number > c.number
        and paysession_ledger.read_body(o.body) -> 'firstRunId' = c.body -> 'firstRunId'
      order by o.number desc limit 1
  ), over as (
    -- The end of the workflow that had the key before may be recorded late.
    select max(o.number) as number from own o, claim c where o.kind = 'ended' and o.number < c.number
      and paysession_ledger.read_body(o.body) -> 'firstRunId' = (select paysession_ledger.read_body(p.body) -> 'firstRunId'
        from own p where p.kind = 'claimed' and p.number < o.number order by p.number desc limit 1)
  ), begun as (
    -- A workflow that takes over an open session continues with what is known of it.
    select coalesce(min(o.number), 0) as at from own o, over where o.kind = 'claimed' and o.number > over.number
  ), state as (
    select paysession_ledger.read_body(o.body) as body from own o, begun b where o.kind = 'state' and o.number > b.at
      order by split_part(o.id, ':', 2)::int desc, o.number desc limit 1
  ), chosen as (
    select paysession_ledger.number_of(paysession_ledger.read_body(o.body), 'amount') as amount from own o, begun b
      where o.kind = 'state' and o.number > b.at
        and paysession_ledger.number_of(paysession_ledger.read_body(o.body), 'amount') is not null
      order by split_part(o.id, ':', 2)::int desc, o.number desc limit 1
  ), opened as (
    -- A session that a person named stays, also if another create's answer is found later.
    select paysession_ledger.read_body(o.body) as body from own o, begun b where o.kind = 'opened' and o.number > b.at
      order by (paysession_ledger.read_body(o.body) ->> 'how' = 'adopt') desc, o.number desc limit 1
  ), step as (
    -- The wait for a decision ends with a retry, and with a workflow that takes the session over.
    select o.kind from own o, begun b where o.number >= b.at and (o.kind in ('claimed', 'parked')
      or o.kind = 'decision' and paysession_ledger.read_body(o.body) ->> 'decision' = 'retry')
      order by o.number desc limit 1
  ), money as (
    -- A session is one payment, whose money moves once each way.
    select (array_agg(at order by number) filter (where kind = 'settled'))[1] as settled_at,
      (array_agg(at order by number) filter (where kind = 'returned'))[1] as returned_at,
      paysession_ledger.read_body((array_agg(body order by number) filter (where kind = 'returned'))[1]) ->> 'code' as return_code,
      paysession_ledger.number_of(paysession_ledger.read_body((array_agg(body order by number))[1]), 'amount') as moved
      from own where kind in ('settled', 'returned')
  ), told as (
    select c.at as claimed_at, c.body as claim, e.at as ended_at, e.body as ended, m.*, a.amount as chosen, o.body ->> 'sessionId' as session_id, s.body as state,
      coalesce(p.kind = 'parked' and o.body is null and e.body is null, false) as parked,
      -- Status and code come from the same fact: a code belongs to its status.
      case when e.body ? 'status' then e.body else s.body end as last
      from claim c cross join money m left join ended e on true left join state s on true left join opened o on true
        left join step p on true left join chosen a on true
  ), judged as (
    select *, coalesce((ended ->> 'paid')::boolean,
      -- Contract A46, A56.
      coalesce(state ->> 'status' = 'Completed' and (state ->> 'code' = 'EFT0301'
        or claim ->> 'sessionKind' = 'e-Transfer' and state ->> 'code' is null and (state ->> 'unreadableCode') is distinct from 'true'), false)
      ) as paid from told
  )
  -- The claim of a session that was started by hand may lack any member.
  select of_environment, of_key, coalesce(claim ->> 'sessionKind', ''), coalesce(claim ->> 'account', ''),
    case when ended is null then 'open' when ended ? 'failure' then 'failed' else 'ended' end,
    last ->> 'status', last ->> 'code', ended ->> 'failure', paid,
    -- The session's own amount comes before that of the reconciliation file.
    coalesce(paysession_ledger.number_of(ended, 'amount'), chosen, paysession_ledger.number_of(claim, 'amount'), moved),
    coalesce(claim ->> 'currency', ''), claim ->> 'referenceId', session_id, claimed_at, ended_at, settled_at, returned_at, return_code,
    case when returned_at is not null then 'returned' when settled_at is not null then 'settled' when paid then 'paid'
      when ended is null then 'open' when ended ? 'failure' then 'failed' else 'unpaid' end,
    parked, paysession_ledger.parts_of(claim ->> 'referenceId')
    from judged
$$;

-- Runs with the owner's rights, so that a role that records needs none on the summary.
create function paysession_ledger.tell_sessions() returns trigger language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
begin
  insert into paysession_ledger.sessions
    select s.* from (select distinct environment, key from added
        where kind in ('claimed', 'opened', 'state', 'parked', 'decision', 'ended', 'settled', 'returned')) a
      cross join lateral paysession_ledger.session_as_told(a.environment, a.key) s
    on conflict (environment, key) do update set
      kind = excluded.kind, account = excluded.account, outcome = excluded.outcome, status = excluded.status, code = excluded.code,
      failure = excluded.failure, paid = excluded.paid, amount = excluded.amount, currency = excluded.currency,
      reference_id = excluded.reference_id, session_id = excluded.session_id, claimed_at = excluded.claimed_at,
      ended_at = excluded.ended_at, settled_at = excluded.settled_at, returned_at = excluded.returned_at,
      return_code = excluded.return_code, money = excluded.money, parked = excluded.parked,
      reference_parts = excluded.reference_parts;
  return null;
end
$$;

create trigger entries_tell_sessions after insert on paysession_ledger.entries referencing new table as added
  for each statement execute function paysession_ledger.tell_sessions();

-- Indexes

-- Claims by their time, for lists and exports.
create index claims_by_time on paysession_ledger.entries (environment, at, key) where kind = 'claimed';
create index claims_by_reference on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'referenceId'), at, key) where kind = 'claimed';
create index claims_by_account on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'account'), at, key) where kind = 'claimed';
create index claims_by_amount on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'amount'), at, key) where kind = 'claimed';

-- Sessions by the payment service's id, which lines of reconciliation files name.
create index opened_by_session on paysession_ledger.entries (environment, id) where kind = 'opened';

-- For webhooks that are sent again.
create index entries_by_recording on paysession_ledger.entries (environment, recorded_at);

create index news_by_due on paysession_ledger.news (environment, endpoint, due_at);

-- For the pages of payments.
create index sessions_by_claim on paysession_ledger.sessions (environment, claimed_at, key);
create index sessions_by_end on paysession_ledger.sessions (environment, coalesce(ended_at, timestamptz '-infinity'), key);
create index sessions_by_amount on paysession_ledger.sessions (environment, coalesce(amount, -1), key);
create index sessions_by_account on paysession_ledger.sessions (environment, account, claimed_at, key);
create index sessions_by_money on paysession_ledger.sessions (environment, money, claimed_at, key);
create index sessions_by_id on paysession_ledger.sessions (environment, session_id);
create index sessions_by_part_of_reference on paysession_ledger.sessions using gin (reference_parts);
create index sessions_by_settlement on paysession_ledger.sessions (environment, settled_at) where settled_at is not null;
create index sessions_by_return on paysession_ledger.sessions (environment, returned_at) where returned_at is not null;

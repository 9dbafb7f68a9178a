-- The last that the entries tell of each session, one row a key, for lists, sums and charts. Nothing stands here alone: `session_as_told`
-- makes it anew from the entries.
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
  -- It waits for a person's decision.
  parked boolean not null,
  -- What a part of the reference is found by. Kept, since to make them anew for each row that is looked at takes long.
  reference_parts text[],
  primary key (environment, key)
);

-- A body as PostgreSQL can read it, in whatever encoding the database is: for what no text of it can hold (a NUL, half a character), a `?`.
create function paysession_ledger.read_body(body text) returns jsonb language sql immutable parallel safe
  return regexp_replace(body, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\u003f', 'g')::jsonb;

-- A number of a body; null for what is none.
create function paysession_ledger.number_of(body jsonb, name text) returns numeric language sql immutable parallel safe
  return case jsonb_typeof(body -> name) when 'number' then (body ->> name)::numeric end;

-- What a text is found by that contains another: its parts of three characters.
create function paysession_ledger.parts_of(whole text) returns text[] language sql immutable parallel safe
  return array(select distinct substr(lower(whole), place, 3) from generate_series(1, length(whole) - 2) place);

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
    -- Whoever had the key before may have its end recorded late.
    select max(o.number) as number from own o, claim c where o.kind = 'ended' and o.number < c.number
      and paysession_ledger.read_body(o.body) -> 'firstRunId' = (select paysession_ledger.read_body(p.body) -> 'firstRunId'
        from own p where p.kind = 'claimed' and p.number < o.number order by p.number desc limit 1)
  ), begun as (
    -- Where a workflow takes over what another has left open, what is known of it goes on.
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
    -- What a person has named stands, whichever answer of a create comes to light later.
    select paysession_ledger.read_body(o.body) as body from own o, begun b where o.kind = 'opened' and o.number > b.at
      order by (paysession_ledger.read_body(o.body) ->> 'how' = 'adopt') desc, o.number desc limit 1
  ), step as (
    -- A retry ends the wait for a decision, and so does a workflow that takes the session over.
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
      -- Of one of them together: a code belongs to its status.
      case when e.body ? 'status' then e.body else s.body end as last
      from claim c cross join money m left join ended e on true left join state s on true left join opened o on true
        left join step p on true left join chosen a on true
  ), judged as (
    select *, coalesce((ended ->> 'paid')::boolean,
      -- As the contract says it (A46, A56).
      coalesce(state ->> 'status' = 'Completed' and (state ->> 'code' = 'EFT0301'
        or claim ->> 'sessionKind' = 'e-Transfer' and state ->> 'code' is null and (state ->> 'unreadableCode') is distinct from 'true'), false)
      ) as paid from told
  )
  -- A claim that was made of what somebody has started by hand may lack anything.
  select of_environment, of_key, coalesce(claim ->> 'sessionKind', ''), coalesce(claim ->> 'account', ''),
    case when ended is null then 'open' when ended ? 'failure' then 'failed' else 'ended' end,
    last ->> 'status', last ->> 'code', ended ->> 'failure', paid,
    -- As the session says it, or else the reconciliation file.
    coalesce(paysession_ledger.number_of(ended, 'amount'), chosen, paysession_ledger.number_of(claim, 'amount'), moved),
    coalesce(claim ->> 'currency', ''), claim ->> 'referenceId', session_id, claimed_at, ended_at, settled_at, returned_at, return_code,
    case when returned_at is not null then 'returned' when settled_at is not null then 'settled' when paid then 'paid'
      when ended is null then 'open' when ended ? 'failure' then 'failed' else 'unpaid' end,
    parked, paysession_ledger.parts_of(claim ->> 'referenceId')
    from judged
$$;

-- With the owner's rights: whoever may record needs none on this table.
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

insert into paysession_ledger.sessions
  select s.* from (select distinct environment, key from paysession_ledger.entries where kind = 'claimed') k
    cross join lateral paysession_ledger.session_as_told(k.environment, k.key) s;

create index sessions_by_claim on paysession_ledger.sessions (environment, claimed_at, key);
create index sessions_by_end on paysession_ledger.sessions (environment, coalesce(ended_at, timestamptz '-infinity'), key);
create index sessions_by_amount on paysession_ledger.sessions (environment, coalesce(amount, -1), key);
create index sessions_by_account on paysession_ledger.sessions (environment, account, claimed_at, key);
create index sessions_by_money on paysession_ledger.sessions (environment, money, claimed_at, key);
create index sessions_by_id on paysession_ledger.sessions (environment, session_id);
create index sessions_by_part_of_reference on paysession_ledger.sessions using gin (reference_parts);
create index sessions_by_settlement on paysession_ledger.sessions (environment, settled_at) where settled_at is not null;
create index sessions_by_return on paysession_ledger.sessions (environment, returned_at) where returned_at is not null;

-- Where news of sessions is sent. Senders write down the endpoints of their settings; URLs and secrets stay with them.
create table paysession_ledger.news_endpoints (
  environment text collate "C" not null,
  name text collate "C" not null,
  registered_at timestamptz not null default clock_timestamp(),
  -- A sender that has it in its settings was here last.
  seen_at timestamptz not null default clock_timestamp(),
  -- Tells one URL with its secrets from another, and nothing else of them.
  fingerprint text not null,
  -- It is forgotten soon after nobody sends to it any more.
  is_passing boolean not null default false,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  -- What it answered last: an HTTP status, or why there was no answer.
  last_outcome text,
  -- It has refused so much in a row that only one message at a time is tried, at these times.
  down_since timestamptz,
  probes integer not null default 0,
  probe_at timestamptz,
  -- It was down for so long that no news is kept for it any more.
  failing_since timestamptz,
  -- How many sessions' news were given up, and when the first of it was recorded.
  given_up bigint not null default 0,
  missing_since timestamptz,
  primary key (environment, name)
);

-- The outbox: which entries of a session an endpoint has not been told yet. A row is gone once it has.
create table paysession_ledger.news (
  environment text collate "C" not null,
  endpoint text collate "C" not null,
  key text collate "C" not null,
  from_number integer not null,
  to_number integer not null,
  -- When the first of them was recorded.
  waits_since timestamptz not null,
  -- When it is tried next; while a sender has it in hand, when another one may take it.
  due_at timestamptz not null,
  -- Whoever has it in hand.
  lease text,
  -- How often the first of them was refused.
  attempts integer not null default 0,
  primary key (environment, endpoint, key),
  foreign key (environment, endpoint) references paysession_ledger.news_endpoints (environment, name) on delete cascade
);

create index news_by_due on paysession_ledger.news (environment, endpoint, due_at);

-- For news that is sent again.
create index entries_by_recording on paysession_ledger.entries (environment, recorded_at);

-- With the owner's rights: whoever may record needs none on the outbox, and an entry never lacks its news.
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

-- `claimed`, `createUnknown`, `cancel`, `anomaly` and `erased` make no news.
create trigger entries_are_news after insert on paysession_ledger.entries
  for each row when (new.kind in ('opened', 'state', 'parked', 'decision', 'ended', 'settled', 'returned'))
  execute function paysession_ledger.tell_news();

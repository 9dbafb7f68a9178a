-- The entries that have no place in the log yet. A number that is given out as an entry is written says nothing of when it is
-- committed: places are given by one sequencer, to what it can see.
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

insert into paysession_ledger.unsequenced (environment, key, number)
  select environment, key, number from paysession_ledger.entries;

-- One log of all entries: each has a place, without a gap. Rows are added, and never changed.
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

-- The signed checkpoints over the log.
create table paysession_ledger.checkpoints (
  -- How many entries the tree has.
  size bigint primary key,
  -- The signed note, as it is published (C2SP tlog-checkpoint).
  note text not null,
  -- The roots of the tree's whole parts, the largest first, from which it grows.
  peaks bytea not null,
  signed_at timestamptz not null
);

create trigger log_is_kept before update or delete on paysession_ledger.log
  for each row execute function paysession_ledger.refuse_change();
create trigger log_is_kept_all before truncate on paysession_ledger.log
  for each statement execute function paysession_ledger.refuse_change();
create trigger checkpoints_are_kept before update or delete on paysession_ledger.checkpoints
  for each row execute function paysession_ledger.refuse_change();
create trigger checkpoints_are_kept_all before truncate on paysession_ledger.checkpoints
  for each statement execute function paysession_ledger.refuse_change();

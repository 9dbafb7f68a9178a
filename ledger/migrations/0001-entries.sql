-- Every fact of a session, in the order in which it was written. Rows are added, and never changed.
create table paysession_ledger.entries (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Counts the session's entries from 1, without a gap.
  number integer not null check (number >= 1),
  -- The same fact, told once more, has the same id.
  id text collate "C" not null,
  kind text collate "C" not null,
  at timestamptz not null,
  recorded_at timestamptz not null,
  -- JSON, as text: what is hashed are these bytes.
  body text not null,
  -- The personal part, encrypted with the session's own key.
  sealed bytea,
  -- The hash of the session's entry before; empty for the first.
  previous bytea not null,
  hash bytea not null,
  primary key (environment, key, number),
  unique (environment, key, id)
);

-- The key that encrypts a session's personal data. Erasing it erases them, wherever they are.
create table paysession_ledger.session_keys (
  environment text collate "C" not null,
  key text collate "C" not null,
  -- Null once it is erased.
  wrapped bytea,
  -- The key of the key ring that wraps it; null where there is no key ring.
  wrapped_with text,
  primary key (environment, key)
);

create function paysession_ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'entries of the ledger are never changed' using errcode = 'insufficient_privilege';
end
$$;

create trigger entries_are_kept before update or delete on paysession_ledger.entries
  for each row execute function paysession_ledger.refuse_change();

create trigger entries_are_kept_all before truncate on paysession_ledger.entries
  for each statement execute function paysession_ledger.refuse_change();

create trigger session_keys_are_kept before delete on paysession_ledger.session_keys
  for each row execute function paysession_ledger.refuse_change();

create trigger session_keys_are_kept_all before truncate on paysession_ledger.session_keys
  for each statement execute function paysession_ledger.refuse_change();

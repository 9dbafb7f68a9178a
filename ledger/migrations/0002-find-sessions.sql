-- A member of a claim's body. Null where the text has an escape that no text of PostgreSQL can hold (a NUL, half a character): an index
-- must refuse no claim.
create function paysession_ledger.member_of(body text, name text) returns text language sql immutable parallel safe
  return case when body !~ '\\u(0000|[dD][89a-fA-F])' then body::jsonb ->> name end;

-- Claims by their time, for lists, days and exports.
create index claims_by_time on paysession_ledger.entries (environment, at, key) where kind = 'claimed';

create index claims_by_reference on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'referenceId'), at, key) where kind = 'claimed';

create index claims_by_account on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'account'), at, key) where kind = 'claimed';

create index claims_by_amount on paysession_ledger.entries
  (environment, paysession_ledger.member_of(body, 'amount'), at, key) where kind = 'claimed';

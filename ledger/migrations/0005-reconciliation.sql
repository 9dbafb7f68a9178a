-- Sessions by the payment service's id, which lines of reconciliation files name.
create index opened_by_session on paysession_ledger.entries (environment, id) where kind = 'opened';

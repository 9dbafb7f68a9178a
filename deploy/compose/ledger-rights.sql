-- What workers may do with the ledger: read, and append; the keeper makes checkpoints besides. Run it as the tables' owner after each migration; it changes nothing that is there.
grant usage on schema paysession_ledger to paysession_worker;
grant select on all tables in schema paysession_ledger to paysession_worker;
grant insert on paysession_ledger.entries, paysession_ledger.session_keys, paysession_ledger.unsequenced to paysession_worker;
grant paysession_worker to paysession_keeper;
grant insert on paysession_ledger.log, paysession_ledger.checkpoints to paysession_keeper;
grant delete on paysession_ledger.unsequenced to paysession_keeper;

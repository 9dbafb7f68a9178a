#!/bin/sh
# Makes the role that workers use, as the ledger's database is made: PostgreSQL's image runs it once, on an empty volume. Its password,
# WORKER_PASSWORD says.
set -eu

psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 --set password="$WORKER_PASSWORD" <<'SQL'
create role paysession_worker login password :'password';
SQL

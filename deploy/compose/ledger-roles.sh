#!/bin/sh
# Creates the roles of workers and of the keeper. PostgreSQL's image runs it once, on an empty volume. WORKER_PASSWORD and
# KEEPER_PASSWORD are their passwords.
set -eu

psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set ON_ERROR_STOP=1 \
  --set worker="$WORKER_PASSWORD" --set keeper="$KEEPER_PASSWORD" <<'SQL'
create role paysession_worker login password :'worker';
create role paysession_keeper login password :'keeper';
SQL

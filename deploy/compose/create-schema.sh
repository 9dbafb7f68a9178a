#!/bin/sh
# Creates Temporal's two databases, or brings them to the newest schema of this image. It may run again at any time.
# SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD and SQL_PLUGIN say how to reach the database server.
set -eu

for database in temporal temporal_visibility; do
  temporal-sql-tool --database "$database" create-database
  temporal-sql-tool --database "$database" setup-schema --version 0.0
  temporal-sql-tool --database "$database" update-schema \
    --schema-dir "/etc/temporal/schema/postgresql/v12/${database#temporal_}/versioned"
done

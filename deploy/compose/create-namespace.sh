#!/bin/sh
# Creates the namespace and the search attributes that sessions need. It may run again at any time. TEMPORAL_ADDRESS
# and TEMPORAL_NAMESPACE name the server and the namespace.
set -eu

# Runs a command until it succeeds, for two minutes at most.
patiently() {
  attempt=1
  until "$@"; do
    [ "$attempt" -lt 60 ] || { echo "gave up: $*" >&2; return 1; }
    attempt=$((attempt + 1))
    sleep 2
  done
}

patiently temporal operator cluster health

if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d
fi

# It takes some seconds until every part of the server knows a new namespace.
patiently temporal operator search-attribute create \
  --name PaymentSessionStatus --type Keyword \
  --name PaymentSessionCode --type Keyword \
  --name PaymentSessionKind --type Keyword \
  --name PaymentSessionReference --type Keyword \
  --name PaymentSessionPhase --type Keyword \
  --name PaymentSessionAccount --type Keyword \
  --name PaymentSessionShortId --type Keyword \
  --name PaymentSessionProblem --type KeywordList \
  --name PaymentSessionMetadata --type KeywordList \
  --name PaymentSessionChangeDelayMs --type Int

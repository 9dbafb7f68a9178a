require('../sandbox/support.ts');
describe('activities/create-session.test.ts', () => void require('../activities/create-session.test.ts'));
describe('activities/repeated-create.test.ts', () => void require('../activities/repeated-create.test.ts'));
describe('bench/actions.test.ts', () => void require('../bench/actions.test.ts'));
describe('bench/figures.test.ts', () => void require('../bench/figures.test.ts'));
describe('cli/codec-server.test.ts', () => void require('../cli/codec-server.test.ts'));
describe('cli/next-step.test.ts', () => void require('../cli/next-step.test.ts'));
describe('cli/session-events.test.ts', () => void require('../cli/session-events.test.ts'));
describe('compose/dockerfile.test.ts', () => void require('../compose/dockerfile.test.ts'));
describe('console/error-pages.test.ts', () => void require('../console/error-pages.test.ts'));
describe('console/money-days.test.ts', () => void require('../console/money-days.test.ts'));
describe('console/payment-query.test.ts', () => void require('../console/payment-query.test.ts'));
describe('console/troubled-accounts.test.ts', () => void require('../console/troubled-accounts.test.ts'));
describe('contract/loopback.test.ts', () => void require('../contract/loopback.test.ts'));
describe('contract/nesting.test.ts', () => void require('../contract/nesting.test.ts'));
describe('contract/request-types.test.ts', () => void require('../contract/request-types.test.ts'));
describe('contract/validate-session-request.test.ts', () =>
  void require('../contract/validate-session-request.test.ts'));
describe('docs/architecture.test.ts', () => void require('../docs/architecture.test.ts'));
describe('encryption/key-ring.test.ts', () => void require('../encryption/key-ring.test.ts'));
describe('encryption/worker-converter.test.ts', () => void require('../encryption/worker-converter.test.ts'));
describe('errors/explain.test.ts', () => void require('../errors/explain.test.ts'));
describe('examples/order-view.test.ts', () => void require('../examples/order-view.test.ts'));
describe('ledger/last-entries.test.ts', () => void require('../ledger/last-entries.test.ts'));
describe('ledger/signed-note.test.ts', () => void require('../ledger/signed-note.test.ts'));
describe('protocol/grpc.test.ts', () => void require('../protocol/grpc.test.ts'));
describe('protocol/recorded-session.test.ts', () => void require('../protocol/recorded-session.test.ts'));
describe('protocol/session-facts.test.ts', () => void require('../protocol/session-facts.test.ts'));
describe('protocol/worker-identity.test.ts', () => void require('../protocol/worker-identity.test.ts'));
describe('service/answers.test.ts', () => void require('../service/answers.test.ts'));
describe('service/exchange-handler.test.ts', () => void require('../service/exchange-handler.test.ts'));
describe('service/other-clock.test.ts', () => void require('../service/other-clock.test.ts'));
describe('service/reading.test.ts', () => void require('../service/reading.test.ts'));
describe('service/tokens.test.ts', () => void require('../service/tokens.test.ts'));
describe('sessions/dropped-session.test.ts', () => void require('../sessions/dropped-session.test.ts'));
describe('sessions/input.test.ts', () => void require('../sessions/input.test.ts'));
describe('sessions/lost-update.test.ts', () => void require('../sessions/lost-update.test.ts'));
describe('sessions/retrying-until-answered.test.ts', () =>
  void require('../sessions/retrying-until-answered.test.ts'));
describe('sessions/shared-time.test.ts', () => void require('../sessions/shared-time.test.ts'));
describe('settings/accounts.test.ts', () => void require('../settings/accounts.test.ts'));
describe('settings/encryption-settings.test.ts', () =>
  void require('../settings/encryption-settings.test.ts'));
describe('settings/ledger-tls.test.ts', () => void require('../settings/ledger-tls.test.ts'));
describe('settings/read-settings.test.ts', () => void require('../settings/read-settings.test.ts'));
describe('settings/unknown-settings.test.ts', () => void require('../settings/unknown-settings.test.ts'));
describe('traces/nexus.test.ts', () => void require('../traces/nexus.test.ts'));
describe('web/http-server.test.ts', () => void require('../web/http-server.test.ts'));
describe('web/styles.test.ts', () => void require('../web/styles.test.ts'));
describe('worker/check-ledger.test.ts', () => void require('../worker/check-ledger.test.ts'));
describe('worker/worker-count.test.ts', () => void require('../worker/worker-count.test.ts'));
describe('workflows/query-ahead-of-tasks.test.ts', () =>
  void require('../workflows/query-ahead-of-tasks.test.ts'));
describe('activities/follow/wake-ups.test.ts', () => void require('../activities/follow/wake-ups.test.ts'));
describe('console/access/oidc.test.ts', () => void require('../console/access/oidc.test.ts'));
describe('console/session/masked-page.test.ts', () => void require('../console/session/masked-page.test.ts'));
describe('console/session/without-engine.test.ts', () =>
  void require('../console/session/without-engine.test.ts'));
describe('faults/invariants/invariants.test.ts', () =>
  void require('../faults/invariants/invariants.test.ts'));
describe('faults/ledger/line.test.ts', () => void require('../faults/ledger/line.test.ts'));
describe('faults/plan/plan.test.ts', () => void require('../faults/plan/plan.test.ts'));
describe('faults/report/tally.test.ts', () => void require('../faults/report/tally.test.ts'));
describe('ledger/news/message.test.ts', () => void require('../ledger/news/message.test.ts'));
describe('ledger/reconciliation/match.test.ts', () => void require('../ledger/reconciliation/match.test.ts'));
describe('sandbox/api/authorize.test.ts', () => void require('../sandbox/api/authorize.test.ts'));
describe('sandbox/api/create-body.test.ts', () => void require('../sandbox/api/create-body.test.ts'));
describe('sandbox/api/create-payor.test.ts', () => void require('../sandbox/api/create-payor.test.ts'));
describe('sandbox/api/details.test.ts', () => void require('../sandbox/api/details.test.ts'));
describe('sandbox/api/hostile-bodies.test.ts', () => void require('../sandbox/api/hostile-bodies.test.ts'));
describe('sandbox/api/openapi.test.ts', () => void require('../sandbox/api/openapi.test.ts'));
describe('sandbox/clients/rate-limit.test.ts', () => void require('../sandbox/clients/rate-limit.test.ts'));
describe('sandbox/control/clock.test.ts', () => void require('../sandbox/control/clock.test.ts'));
describe('sandbox/control/faults-and-holds.test.ts', () =>
  void require('../sandbox/control/faults-and-holds.test.ts'));
describe('sandbox/data/damage.test.ts', () => void require('../sandbox/data/damage.test.ts'));
describe('sandbox/data/journal.test.ts', () => void require('../sandbox/data/journal.test.ts'));
describe('sandbox/data/restarts.test.ts', () => void require('../sandbox/data/restarts.test.ts'));
describe('sandbox/flow/e-transfer.test.ts', () => void require('../sandbox/flow/e-transfer.test.ts'));
describe('sandbox/flow/french.test.ts', () => void require('../sandbox/flow/french.test.ts'));
describe('sandbox/flow/headers.test.ts', () => void require('../sandbox/flow/headers.test.ts'));
describe('sandbox/flow/hostile-texts.test.ts', () => void require('../sandbox/flow/hostile-texts.test.ts'));
describe('sandbox/flow/over.test.ts', () => void require('../sandbox/flow/over.test.ts'));
describe('sandbox/flow/scenario.test.ts', () => void require('../sandbox/flow/scenario.test.ts'));
describe('sandbox/http/hosts.test.ts', () => void require('../sandbox/http/hosts.test.ts'));
describe('sandbox/mail/mails.test.ts', () => void require('../sandbox/mail/mails.test.ts'));
describe('sandbox/observing/holds-and-faults.test.ts', () =>
  void require('../sandbox/observing/holds-and-faults.test.ts'));
describe('sandbox/overview/session-page.test.ts', () =>
  void require('../sandbox/overview/session-page.test.ts'));
describe('sandbox/server/listening.test.ts', () => void require('../sandbox/server/listening.test.ts'));
describe('sandbox/sessions/scenarios.test.ts', () => void require('../sandbox/sessions/scenarios.test.ts'));
describe('sandbox/sessions/transitions.test.ts', () =>
  void require('../sandbox/sessions/transitions.test.ts'));
describe('service/create/create-session.test.ts', () =>
  void require('../service/create/create-session.test.ts'));
describe('service/pace/hung-creates.test.ts', () => void require('../service/pace/hung-creates.test.ts'));
describe('service/pace/pending-cancels.test.ts', () =>
  void require('../service/pace/pending-cancels.test.ts'));
describe('service/pace/waiting-calls.test.ts', () => void require('../service/pace/waiting-calls.test.ts'));
describe('service/redaction/secrets.test.ts', () => void require('../service/redaction/secrets.test.ts'));
describe('web/shell/parts.test.ts', () => void require('../web/shell/parts.test.ts'));
describe('workflows/create/openings.test.ts', () => void require('../workflows/create/openings.test.ts'));
describe('workflows/follow/untaken-look.test.ts', () =>
  void require('../workflows/follow/untaken-look.test.ts'));
describe('workflows/record/cancel.test.ts', () => void require('../workflows/record/cancel.test.ts'));
describe('workflows/record/problems.test.ts', () => void require('../workflows/record/problems.test.ts'));
describe('workflows/record/record.test.ts', () => void require('../workflows/record/record.test.ts'));
describe('workflows/record/unforeseen.test.ts', () => void require('../workflows/record/unforeseen.test.ts'));

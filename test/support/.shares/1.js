require('../sandbox/support.ts');
describe('activities/lost-create.test.ts', () => void require('../activities/lost-create.test.ts'));
describe('activities/session-calls.test.ts', () => void require('../activities/session-calls.test.ts'));
describe('bench/cadence.test.ts', () => void require('../bench/cadence.test.ts'));
describe('bench/following.test.ts', () => void require('../bench/following.test.ts'));
describe('cli/exported-line.test.ts', () => void require('../cli/exported-line.test.ts'));
describe('cli/preview-lines.test.ts', () => void require('../cli/preview-lines.test.ts'));
describe('cli/terminal.test.ts', () => void require('../cli/terminal.test.ts'));
describe('console/ends-today.test.ts', () => void require('../console/ends-today.test.ts'));
describe('console/index-queue.test.ts', () => void require('../console/index-queue.test.ts'));
describe('console/overview-page.test.ts', () => void require('../console/overview-page.test.ts'));
describe('console/stale-while-revalidate.test.ts', () =>
  void require('../console/stale-while-revalidate.test.ts'));
describe('contract/drop-oldest.test.ts', () => void require('../contract/drop-oldest.test.ts'));
describe('contract/nesting-of-bytes.test.ts', () => void require('../contract/nesting-of-bytes.test.ts'));
describe('contract/paid.test.ts', () => void require('../contract/paid.test.ts'));
describe('contract/session-id.test.ts', () => void require('../contract/session-id.test.ts'));
describe('contract/web-uri.test.ts', () => void require('../contract/web-uri.test.ts'));
describe('docs/sandbox-credentials.test.ts', () => void require('../docs/sandbox-credentials.test.ts'));
describe('encryption/payload-codec.test.ts', () => void require('../encryption/payload-codec.test.ts'));
describe('errors/codes.test.ts', () => void require('../errors/codes.test.ts'));
describe('errors/two-copies.test.ts', () => void require('../errors/two-copies.test.ts'));
describe('files/owner-only.test.ts', () => void require('../files/owner-only.test.ts'));
describe('ledger/merkle.test.ts', () => void require('../ledger/merkle.test.ts'));
describe('permanent/histories.test.ts', () => void require('../permanent/histories.test.ts'));
describe('protocol/guard.test.ts', () => void require('../protocol/guard.test.ts'));
describe('protocol/rules.test.ts', () => void require('../protocol/rules.test.ts'));
describe('protocol/standing.test.ts', () => void require('../protocol/standing.test.ts'));
describe('service/address.test.ts', () => void require('../service/address.test.ts'));
describe('service/connection-slots.test.ts', () => void require('../service/connection-slots.test.ts'));
describe('service/last-answers.test.ts', () => void require('../service/last-answers.test.ts'));
describe('service/payment-service.test.ts', () => void require('../service/payment-service.test.ts'));
describe('service/session-calls.test.ts', () => void require('../service/session-calls.test.ts'));
describe('service/wrong-session.test.ts', () => void require('../service/wrong-session.test.ts'));
describe('sessions/hedged.test.ts', () => void require('../sessions/hedged.test.ts'));
describe('sessions/left-nothing.test.ts', () => void require('../sessions/left-nothing.test.ts'));
describe('sessions/newest-first.test.ts', () => void require('../sessions/newest-first.test.ts'));
describe('sessions/server-clock.test.ts', () => void require('../sessions/server-clock.test.ts'));
describe('sessions/worker-versions.test.ts', () => void require('../sessions/worker-versions.test.ts'));
describe('settings/console-settings.test.ts', () => void require('../settings/console-settings.test.ts'));
describe('settings/exposed-secret-files.test.ts', () =>
  void require('../settings/exposed-secret-files.test.ts'));
describe('settings/news-endpoints.test.ts', () => void require('../settings/news-endpoints.test.ts'));
describe('settings/temporal-settings.test.ts', () => void require('../settings/temporal-settings.test.ts'));
describe('testkit/fakes.test.ts', () => void require('../testkit/fakes.test.ts'));
describe('web/forms.test.ts', () => void require('../web/forms.test.ts'));
describe('web/server-limits.test.ts', () => void require('../web/server-limits.test.ts'));
describe('web/zoned-time.test.ts', () => void require('../web/zoned-time.test.ts'));
describe('worker/session-ledger.test.ts', () => void require('../worker/session-ledger.test.ts'));
describe('workflows/metrics.test.ts', () => void require('../workflows/metrics.test.ts'));
describe('activities/follow/course.test.ts', () => void require('../activities/follow/course.test.ts'));
describe('console/access/local.test.ts', () => void require('../console/access/local.test.ts'));
describe('console/access/proxy.test.ts', () => void require('../console/access/proxy.test.ts'));
describe('console/session/timeline.test.ts', () => void require('../console/session/timeline.test.ts'));
describe('console/session/words-beside.test.ts', () =>
  void require('../console/session/words-beside.test.ts'));
describe('faults/invariants/ledger.test.ts', () => void require('../faults/invariants/ledger.test.ts'));
describe('faults/mutants/mutants.test.ts', () => void require('../faults/mutants/mutants.test.ts'));
describe('faults/report/merge.test.ts', () => void require('../faults/report/merge.test.ts'));
describe('ledger/news/address.test.ts', () => void require('../ledger/news/address.test.ts'));
describe('ledger/news/signature.test.ts', () => void require('../ledger/news/signature.test.ts'));
describe('ledger/reconciliation/read-file.test.ts', () =>
  void require('../ledger/reconciliation/read-file.test.ts'));
describe('sandbox/api/cancel.test.ts', () => void require('../sandbox/api/cancel.test.ts'));
describe('sandbox/api/create-options.test.ts', () => void require('../sandbox/api/create-options.test.ts'));
describe('sandbox/api/create.test.ts', () => void require('../sandbox/api/create.test.ts'));
describe('sandbox/api/e-transfer.test.ts', () => void require('../sandbox/api/e-transfer.test.ts'));
describe('sandbox/api/kinds.test.ts', () => void require('../sandbox/api/kinds.test.ts'));
describe('sandbox/clients/clients.test.ts', () => void require('../sandbox/clients/clients.test.ts'));
describe('sandbox/clock/manual-clock.test.ts', () => void require('../sandbox/clock/manual-clock.test.ts'));
describe('sandbox/control/control.test.ts', () => void require('../sandbox/control/control.test.ts'));
describe('sandbox/control/sessions.test.ts', () => void require('../sandbox/control/sessions.test.ts'));
describe('sandbox/data/data-folder.test.ts', () => void require('../sandbox/data/data-folder.test.ts'));
describe('sandbox/data/privacy.test.ts', () => void require('../sandbox/data/privacy.test.ts'));
describe('sandbox/flow/amount.test.ts', () => void require('../sandbox/flow/amount.test.ts'));
describe('sandbox/flow/eft.test.ts', () => void require('../sandbox/flow/eft.test.ts'));
describe('sandbox/flow/geft.test.ts', () => void require('../sandbox/flow/geft.test.ts'));
describe('sandbox/flow/hosted-flow.test.ts', () => void require('../sandbox/flow/hosted-flow.test.ts'));
describe('sandbox/flow/login.test.ts', () => void require('../sandbox/flow/login.test.ts'));
describe('sandbox/flow/rules.test.ts', () => void require('../sandbox/flow/rules.test.ts'));
describe('sandbox/flow/stale-forms.test.ts', () => void require('../sandbox/flow/stale-forms.test.ts'));
describe('sandbox/http/problems.test.ts', () => void require('../sandbox/http/problems.test.ts'));
describe('sandbox/observing/calls.test.ts', () => void require('../sandbox/observing/calls.test.ts'));
describe('sandbox/overview/overview.test.ts', () => void require('../sandbox/overview/overview.test.ts'));
describe('sandbox/reconciliation/reconciliation-file.test.ts', () =>
  void require('../sandbox/reconciliation/reconciliation-file.test.ts'));
describe('sandbox/sessions/number-of-sessions.test.ts', () =>
  void require('../sandbox/sessions/number-of-sessions.test.ts'));
describe('sandbox/sessions/states.test.ts', () => void require('../sandbox/sessions/states.test.ts'));
describe('service/create/create-phases.test.ts', () =>
  void require('../service/create/create-phases.test.ts'));
describe('service/create/create-token.test.ts', () => void require('../service/create/create-token.test.ts'));
describe('service/pace/pace.test.ts', () => void require('../service/pace/pace.test.ts'));
describe('service/pace/rate-limit.test.ts', () => void require('../service/pace/rate-limit.test.ts'));
describe('service/redaction/echoes.test.ts', () => void require('../service/redaction/echoes.test.ts'));
describe('support/setup/test-projects.test.ts', () => void require('../support/setup/test-projects.test.ts'));
describe('worker/logs/repeats.test.ts', () => void require('../worker/logs/repeats.test.ts'));
describe('workflows/follow/cadence.test.ts', () => void require('../workflows/follow/cadence.test.ts'));
describe('workflows/messages/decided-by.test.ts', () =>
  void require('../workflows/messages/decided-by.test.ts'));
describe('workflows/record/decisions.test.ts', () => void require('../workflows/record/decisions.test.ts'));
describe('workflows/record/record-model.test.ts', () =>
  void require('../workflows/record/record-model.test.ts'));
describe('workflows/record/report-news.test.ts', () =>
  void require('../workflows/record/report-news.test.ts'));

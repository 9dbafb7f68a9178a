import { CancellationScope } from '@temporalio/workflow';
import { isSessionKind, sessionKind, type SessionKind } from '../../src/contract/kinds';
import type { SessionRequest } from '../../src/contract/session-request';
import { expectedSession, type SessionIdentity } from '../../src/contract/snapshot';
import { explain } from '../../src/errors/explain';
import type { AdoptPreview, AskedPayment, FoundPayment } from '../../src/protocol/adopt-preview';
import type { IdentifiedSession } from '../../src/protocol/service-calls';
import type { Session } from '../session';
import { defined } from '../views';
import { differencesOf, findNamed } from './found-session';

/** A person waits for it, and so does the client, for a minute. */
const LOOK_WITHIN_MS = 45_000;

/** A look that is under way. */
export interface Look {
  /** Absent until the service has answered. */
  preview?: AdoptPreview;
  /** Nobody waits for it any more. */
  readonly stop: () => void;
}

/** Begins to look at a session of the service, as `adopt` would; changes nothing of this one. */
export function beginPreview(session: Session, sessionId: string): Look {
  const scope = new CancellationScope();
  const look: Look = {
    stop: () => {
      scope.cancel();
    },
  };
  void scope.run(async () => {
    look.preview = await previewAdopt(session, sessionId);
  });
  return look;
}

async function previewAdopt(session: Session, sessionId: string): Promise<AdoptPreview> {
  const { request } = session.input;
  const options = {
    summary: 'look at the session that a person named',
    scheduleToCloseTimeout: LOOK_WITHIN_MS,
  };
  const answer = await findNamed(session, sessionId, options);
  const asked = askedPayment(request);
  if (answer.outcome === 'failed') {
    // The service's own words may quote a request: its problem details stay behind.
    const { code, message } = answer.failure;
    return { sessionId, adoptable: false, refusal: { code, message }, asked, differences: [] };
  }
  const found = foundPayment(answer);
  const differences = differencesOf(request, answer.identity);
  if (differences.length === 0) return { sessionId, adoptable: true, asked, found, differences };
  const code = 'SESSION_MISMATCH';
  return {
    sessionId,
    adoptable: false,
    refusal: { code, message: explain(code) },
    asked,
    found,
    differences,
  };
}

function askedPayment(request: SessionRequest): AskedPayment {
  const { amount, currency = 'CAD' } = request;
  return {
    kind: sessionKind(request),
    ...expectedSession(request),
    ...(amount != null && { amount }),
    currency,
  };
}

function foundPayment({ snapshot, identity }: IdentifiedSession): FoundPayment {
  const { status, code, unreadableCode } = snapshot;
  const { type, direction, referenceId, amount, currency, createdAt } = identity;
  const kind = kindOf(identity);
  return {
    status,
    ...defined({ code, unreadableCode, kind, type, direction, referenceId, amount, currency, createdAt }),
  };
}

/** Not all details tell whether an EFT is guaranteed. */
function kindOf({ type, guaranteed }: SessionIdentity): SessionKind | undefined {
  if (type === 'EFT') return guaranteed === undefined ? undefined : guaranteed ? 'GEFT' : 'EFT';
  return type !== undefined && isSessionKind(type) ? type : undefined;
}

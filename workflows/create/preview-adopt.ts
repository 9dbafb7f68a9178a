import { CancellationScope } from '@temporalio/workflow';
import type { SessionRequest } from '../../src/contract/session-request';
import type { ErrorCode } from '../../src/errors/codes';
import type {
  AdoptPreview,
  AdoptRefusal,
  AskedPayment,
  FoundPayment,
} from '../../src/protocol/adopt-preview';
import type { Session } from '../session';
import { defined } from '../telling/views';
import { claimNamed, differencesOf, readNamed, kindOf, untoldOf } from './found-session';
import { sessionKind } from '../../src/contract/statuses';
import { expectedSession } from '../../src/contract/identity';
import { explain } from '../../src/errors/failures';
import type { IdentifiedSession } from '../../src/protocol/activities';

/** A person waits for it, and so does the client, for a minute. */
const PREVIEW_WITHIN_MS = 45_000;

/** A preview that is under way. */
export interface Preview {
  /** Absent until the service has answered. */
  answer?: AdoptPreview;
  /** Nobody waits for it any more. */
  readonly stop: () => void;
}

/** Begins to look at a session of the service, as `adopt` would; changes nothing of this one. */
export function beginPreview(session: Session, sessionId: string): Preview {
  const scope = new CancellationScope();
  const preview: Preview = {
    stop: () => {
      scope.cancel();
    },
  };
  void scope.run(async () => {
    preview.answer = await previewAdopt(session, sessionId);
  });
  return preview;
}

async function previewAdopt(session: Session, sessionId: string): Promise<AdoptPreview> {
  const { request } = session.input;
  const options = {
    summary: 'look at the session that a person named',
    scheduleToCloseTimeout: PREVIEW_WITHIN_MS,
  };
  const answer = await readNamed(session, sessionId, options);
  const asked = askedPayment(request);
  if (answer.outcome === 'failed') {
    // The service's own words may quote a request: its problem details stay behind.
    const { code, message } = answer.failure;
    return { sessionId, adoptable: false, refusal: { code, message }, asked, differences: [] };
  }
  const found = foundPayment(answer);
  const differences = differencesOf(request, answer.identity);
  const refusal = differences.length > 0 ? mismatch() : await followed(session, sessionId);
  const adoptable = refusal === undefined;
  const untold = untoldOf(request, answer.identity);
  return {
    sessionId,
    adoptable,
    ...defined({ refusal }),
    asked,
    found,
    differences,
    ...(untold.length > 0 && { untold }),
  };
}

function mismatch(): AdoptRefusal {
  const code = 'SESSION_MISMATCH';
  return { code, message: explain(code) };
}

/** Why this session may not follow it: another one does, or may, or nobody can tell. */
async function followed(session: Session, sessionId: string): Promise<AdoptRefusal | undefined> {
  const claim = await claimNamed(session, sessionId, true);
  if ('failure' in claim) {
    const { code, message } = claim.failure;
    return { code, message };
  }
  const { followedBy, isUnclear, maybeFollowedBy } = claim;
  if (followedBy !== undefined)
    return { code: 'SESSION_FOLLOWED', message: naming('SESSION_FOLLOWED', followedBy), followedBy };
  if (!isUnclear) return undefined;
  const message = naming('SESSION_MAYBE_FOLLOWED', maybeFollowedBy);
  return { code: 'SESSION_MAYBE_FOLLOWED', message, ...defined({ maybeFollowedBy }) };
}

const naming = (code: ErrorCode, key: string | undefined): string =>
  key === undefined ? explain(code) : `${explain(code)} The key is “${key}”.`;

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

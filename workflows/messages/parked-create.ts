/** What a person asks of a session whose create has an unknown outcome: to look at what it may have made, and to decide. */
import type { RawValue } from '@temporalio/common';
import type { ApplicationFailure } from '@temporalio/workflow';
import type { AdoptPreview, PreviewAdopt } from '../../src/protocol/adopt-preview';
import type { SessionState } from '../../src/protocol/state/session';
import type { Session } from '../session';
import { beginPreview } from '../create/preview-adopt';
import { checkPreview, checkResolution, invalid } from './input';
import { decodeOrRefuse, takeNoArguments } from './raw-arguments';
import type { Until } from './waiting';
import { NOT_PARKED, type ResolveCreate } from '../../src/protocol/decisions';

/** Hands a person’s decision to the main function, and waits until it is carried out. */
export async function resolveCreate(
  session: Session,
  answer: ResolveCreate,
  until: Until,
): Promise<SessionState> {
  if (session.isAnswered()) return session.state();
  session.resolveCreate(answer);
  await until(() => session.resolution === undefined, { stays: true });
  return session.state();
}

export function validateResolution(session: Session, [first, ...others]: readonly RawValue[]): void {
  takeNoArguments(others);
  checkResolution(first === undefined ? undefined : decodeOrRefuse([first])[0]);
  if (session.isAnswered()) return;
  if (!session.record.parked || session.resolution !== undefined) throw notParked();
}

/** Looks only while the session is parked, and holds up neither its decision nor its end. */
export async function previewAdopt(
  session: Session,
  { sessionId }: PreviewAdopt,
  until: Until,
): Promise<AdoptPreview> {
  const preview = beginPreview(session, sessionId);
  try {
    await until(() => preview.answer !== undefined || !session.record.parked);
  } finally {
    preview.stop();
  }
  if (preview.answer === undefined) throw notParked();
  return preview.answer;
}

export function validatePreview(session: Session, [first, ...others]: readonly RawValue[]): void {
  takeNoArguments(others);
  checkPreview(first === undefined ? undefined : decodeOrRefuse([first])[0]);
  if (!session.record.parked) throw notParked();
}

const notParked = (): ApplicationFailure => invalid(NOT_PARKED);

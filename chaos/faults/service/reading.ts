import type { HttpFault } from '../plan/http-faults';
import type { Exchange, Told } from './exchange';
import type { HttpAnswer } from './spoil';

/** True if the service's answer can have this fault. For example, only an answer about a session can have an untrue status. */
export function canHave(fault: HttpFault, truth: HttpAnswer): boolean {
  switch (fault) {
    case 'unknownStatus':
    case 'wrongSession':
    case 'oversized':
      return truth.status < 300;
    case 'unknownCode':
    case 'missingCode':
    case 'backwardStatus':
      return truth.status < 300 && truth.body.includes('"statusDetails"');
    default:
      return true;
  }
}

/** Reads an answer: its HTTP status, the session's state in it, and the wait that it asks for. The wait is limited to `longestMs`. */
export function readAnswer(
  { status, headers, body }: HttpAnswer,
  longestMs: number,
): Pick<Exchange, 'httpStatus' | 'retryAfterMs' | 'told'> {
  const told = status < 300 ? stateIn(body) : undefined;
  const askedMs = waitIn(headers['retry-after']);
  return {
    httpStatus: status,
    ...(askedMs !== undefined && { retryAfterMs: Math.max(0, Math.min(askedMs, longestMs)) }),
    ...(told !== undefined && { told }),
  };
}

function waitIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  return /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
}

function stateIn(body: string): Told | undefined {
  try {
    const { status, statusDetails: code } = JSON.parse(body) as {
      readonly status?: unknown;
      readonly statusDetails?: unknown;
    };
    if (typeof status !== 'string') return undefined;
    return { status, ...(typeof code === 'string' && { code }) };
  } catch {
    return undefined;
  }
}

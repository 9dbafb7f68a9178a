import type { HttpFault } from '../plan/http-faults';
import type { Exchange, Told } from './exchange';
import type { HttpAnswer } from './spoil';

/** True if the service's answer can have this fault. For example, only an answer about a session can have an untrue status. */
export function fits(fault: HttpFault, truth: HttpAnswer): boolean {
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

/** Returns an answer's status, its session state, and its requested wait, cut to the longest wait of the workers. */
export function whatIsSaid(
  { status, headers, body }: HttpAnswer,
  longestMs: number,
): Pick<Exchange, 'httpStatus' | 'retryAfterMs' | 'told'> {
  const told = status < 300 ? toldIn(body) : undefined;
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

function toldIn(body: string): Told | undefined {
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

import { awaitsSignature } from '../../src/contract';
import type { SessionPhase } from '../../src/protocol/recorded';
import type { SessionSummary } from '../../src/sessions';
import type { Tone } from '../../web/shell/tone';
import type { StateWords } from './texts';

/** Where a session stands, as a badge says it. */
export interface Standing {
  readonly text: string;
  readonly tone: Tone;
}

const PHASE_TONES: Readonly<Record<SessionPhase, Tone>> = {
  creating: 'busy',
  parked: 'attention',
  open: 'busy',
  cancelling: 'busy',
  ended: 'quiet',
};

export const toneOfPhase = (phase: SessionPhase): Tone => PHASE_TONES[phase];

/** Where a session stands, in the reader's words. */
export function standingOf(summary: SessionSummary, words: StateWords): Standing {
  const { running, outcome, phase = 'open', paid } = summary;
  // The payor is through, and nothing is paid: “open” would say neither.
  if (running && phase === 'open' && awaitsSignature(summary)) return { text: words.unsigned, tone: 'busy' };
  if (running) return { text: words.phases[phase], tone: PHASE_TONES[phase] };
  if (outcome === 'failed') return { text: words.failed, tone: 'bad' };
  if (outcome === 'terminated') return { text: words.terminated, tone: 'bad' };
  if (paid) return { text: words.paid, tone: 'good' };
  return standingOfEnd(summary, words);
}

function standingOfEnd({ status, code }: SessionSummary, words: StateWords): Standing {
  switch (status) {
    case 'Completed':
      return awaitsSignature({ status, code })
        ? { text: words.unsigned, tone: 'attention' }
        : { text: words.unclear, tone: 'attention' };
    case 'Failed':
      return { text: words.serviceFailed, tone: 'bad' };
    case 'Cancelled':
      return { text: words.cancelled, tone: 'quiet' };
    case 'Expired':
      return { text: words.expired, tone: 'quiet' };
    default:
      return { text: words.phases.ended, tone: 'quiet' };
  }
}

/** The tone of an end, by its status and code. */
export function toneOfEnd(status: string, code?: string): Tone {
  if (status === 'Completed') return code === undefined || code === 'EFT0301' ? 'good' : 'attention';
  return status === 'Failed' ? 'bad' : 'quiet';
}

/** The words of the service for where a session stands, as its documentation has them. */
export const reported = ({ status, code, failure }: SessionSummary): string =>
  [status, code, failure].filter((part) => part !== undefined).join(' ');

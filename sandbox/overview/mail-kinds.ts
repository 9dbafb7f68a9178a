import type { MailKind } from '../mail/mail';
import type { Tone } from '../../web/shell/parts';

/** What mails are about, in words and tones. */
export const MAIL_KINDS: Readonly<Record<MailKind, { readonly text: string; readonly tone: Tone }>> = {
  networkLink: { text: 'request', tone: 'busy' },
  awaitingSignature: { text: 'awaiting signature', tone: 'attention' },
  completed: { text: 'completed', tone: 'good' },
  failed: { text: 'failed', tone: 'bad' },
  cancelled: { text: 'cancelled', tone: 'quiet' },
  expired: { text: 'expired', tone: 'quiet' },
};

import type { SandboxContext } from '../context';
import type { MailFacts } from '../mail/mail';
import { MAIL_KEY } from '../mail/outbox';
import type { SandboxSession } from '../sessions/session';
import { SESSION_KEY } from '../sessions/session-store';
import { TOKEN_KEY, type StoredToken } from '../clients/tokens';

export const CLOCK_KEY = 'clock';
const FORM_KEY = 'formKey';

/**
 * Opens the data folder, if there is one, and remembers what is in it. Records are not parsed again: their checksums and
 * the folder's version say that they are what this code has written.
 */
export async function openData({ journal, ...context }: SandboxContext): Promise<void> {
  const entries = await journal.open();
  if (entries === undefined) return;
  // First, because all else is dropped or kept by the time.
  context.clock.moveTo(Number(entries.get(CLOCK_KEY) ?? 0));
  const formKey = entries.get(FORM_KEY);
  if (typeof formKey === 'string') context.formTokens.restore(formKey);
  else journal.put(FORM_KEY, context.formTokens.key);
  context.tokens.restore(under<StoredToken>(entries, TOKEN_KEY));
  context.outbox.restore(under<MailFacts>(entries, MAIL_KEY));
  context.sessions.restore([...under<SandboxSession>(entries, SESSION_KEY).values()]);
}

/** The records of one kind, by the rest of their keys. */
function under<Value>(entries: ReadonlyMap<string, unknown>, prefix: string): ReadonlyMap<string, Value> {
  const found = [...entries].filter(([key]) => key.startsWith(prefix));
  return new Map(found.map(([key, value]) => [key.slice(prefix.length), value as Value]));
}

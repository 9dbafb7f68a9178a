import { Refusal } from '../../server/refusal';

/** The provider was not there, or too slow: what a network says, and what the client makes of a limit of time. */
const UNREACHABLE = ['OAUTH_TIMEOUT', 'OAUTH_ABORT'];

/** What to answer to who came back, when their login did not come to its end. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(isUnreachable(error) ? 'providerUnavailable' : 'loginFailed');
}

/** Why, in a word for the log: the provider's or the client's own code, and never what was sent. */
export function wordOf(error: unknown): string {
  const { error: said, code, name } = error as { error?: unknown; code?: unknown; name?: unknown };
  const word = [said, code, name].find((text) => typeof text === 'string' && /^[\w-]{1,60}$/.test(text));
  return `failed ${String(word ?? 'unknown')}`;
}

function isUnreachable(error: unknown): boolean {
  // What `fetch` throws, whose cause is the system's error.
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  return UNREACHABLE.includes(String((error as { code?: unknown } | null)?.code));
}

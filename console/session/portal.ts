import { isSessionId } from '../../src/contract/identity';
import { accountOf, shownReferenceOf } from './identity';
import type { SessionView } from './view';

/** The session's page in the payment service's portal; nothing where what its URL needs is unknown or masked. */
export function portalAddress(template: string | undefined, view: SessionView): string | undefined {
  const { sessionId } = view.known?.state ?? {};
  const known: Readonly<Record<string, string | undefined>> = {
    key: view.key,
    // A viewer has only its start.
    sessionId: isSessionId(sessionId) ? sessionId : undefined,
    referenceId: shownReferenceOf(view),
    account: accountOf(view),
  };
  const names = Array.from(template?.matchAll(NAMES) ?? [], ([, name = '']) => name);
  if (names.some((name) => known[name] === undefined)) return undefined;
  return template?.replaceAll(NAMES, (_braces, name: string) => encodeURIComponent(known[name] ?? ''));
}

const NAMES = /\{(\w+)\}/g;

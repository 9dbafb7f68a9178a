/** The three kinds of payment session (specification, "What the service does"). */
export type SessionKind = (typeof SESSION_KINDS)[number];

export const SESSION_KINDS = ['EFT', 'GEFT', 'e-Transfer'] as const;

/** Whether a text is the name of a kind. */
export function isSessionKind(text: string): text is SessionKind {
  return SESSION_KINDS.some((kind) => kind === text);
}

/** The parts of a creation request that decide its kind. */
export interface KindSource {
  readonly type: 'EFT' | 'e-Transfer';
  readonly options: { readonly guarantee?: { readonly enable: boolean } | undefined };
}

/** Regular EFT, guaranteed EFT (`guarantee.enable`) or e-Transfer. */
export function sessionKind(request: KindSource): SessionKind {
  if (request.type === 'e-Transfer') return 'e-Transfer';
  return request.options.guarantee?.enable === true ? 'GEFT' : 'EFT';
}

/** The state of a session that has just been created (contract A56); an e-Transfer has no codes (A46). */
export function createdState(kind: SessionKind): { readonly status: 'Initiated'; readonly code?: 'EFT0101' } {
  return { status: 'Initiated', ...(kind !== 'e-Transfer' && { code: 'EFT0101' }) };
}

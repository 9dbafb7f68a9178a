/** What somebody may do: a viewer looks, an operator also acts. */
export type Role = 'viewer' | 'operator';

/** Somebody who uses the console. */
export interface Operator {
  /** As decisions are signed. 1 to 200 characters. */
  readonly name: string;
  readonly role: Role;
}

/** Who may use the console. */
export type Access =
  /** Everybody who reaches it, under one name: only for an address of this machine. */
  { readonly kind: 'local'; readonly operator: Operator };

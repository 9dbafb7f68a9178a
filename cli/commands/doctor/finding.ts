/** What one check found; a miss says how to fix it. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
}

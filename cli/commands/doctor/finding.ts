/** What one check found; a miss says how to fix it. One that is `ok` and has a `fix` is a note. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
}

/** What one check found; a miss says how to fix it. One that is `ok` and has a `fix` is a note. */
export interface Finding {
  readonly subject: string;
  readonly ok: boolean;
  readonly found: string;
  readonly fix?: string;
  /** Commands that mend it, in their order, as a shell takes them. */
  readonly commands?: readonly string[];
}

/** How bad a finding is: a `fault` is what doctor exits for, a `note` may need somebody. */
export const levelOf = ({ ok, fix }: Finding): 'ok' | 'note' | 'fault' =>
  ok ? (fix === undefined ? 'ok' : 'note') : 'fault';

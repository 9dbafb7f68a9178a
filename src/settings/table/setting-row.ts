import type { z } from 'zod';
import { text } from '../setting-values';

/** The subjects by which settings are grouped, in the order of the documentation. */
export type SettingSubject =
  | 'Temporal'
  | 'Payment service'
  | 'Worker'
  | 'Ledger'
  | 'Webhooks'
  | 'Console'
  | 'Temporal server';

/** One row of a table of settings. A setting is an environment variable. */
export interface SettingRow {
  /** The name of the environment variable. A `*` at the end stands for any ending. */
  readonly name: string;
  readonly meaning: string;
  /** The default, as text. Absent if the setting has no default. */
  readonly default?: string;
  /** True if the value must never be shown. @default false */
  readonly secret?: true;
  /**
   * True if only scheme, host and port of the URL are shown. The rest of a webhook's or collector's URL is often a
   * secret.
   */
  readonly showsOrigin?: true;
  /** True if the value names a file with secrets, which other users should not be able to read. */
  readonly isSecretFile?: true;
  /** True if the value may have line breaks. Other control characters are never allowed. */
  readonly hasLines?: true;
  /** Checks the text and converts it to the setting's value. Messages never contain the value. */
  readonly schema: z.ZodType<unknown, string>;
}

/** One setting, with its subject. */
export interface Setting extends Omit<SettingRow, 'secret'> {
  readonly subject: SettingSubject;
  /** True if the value must never be shown. */
  readonly secret: boolean;
}

/**
 * Returns the row of a setting that names a file with a secret. It can be set in place of the setting with the
 * secret itself.
 */
export const fileRow = <const Name extends string>(name: Name, secret: string) =>
  ({
    name,
    meaning: `File with ${secret} instead, such as a mounted secret.`,
    isSecretFile: true,
    schema: text,
  }) as const;

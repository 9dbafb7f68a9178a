import type { z } from 'zod';
import { text } from '../setting-values';

/** The subjects that settings are grouped by, in the order of the documentation. */
export type SettingSubject =
  'Temporal' | 'Payment service' | 'Worker' | 'Ledger' | 'Webhooks' | 'Console' | 'Temporal server';

/** One setting in the table of its subject: an environment variable of the same name. */
export interface SettingRow {
  /** The environment variable; a trailing `*` stands for any ending. */
  readonly name: string;
  readonly meaning: string;
  /** The value of the setting if it is unset; absent if it has no default. */
  readonly default?: string;
  /** True if the value must never be shown. @default false */
  readonly secret?: true;
  /** True if only scheme, host and port are shown: the rest of a webhook's or a collector's URL is often a secret. */
  readonly showsOrigin?: true;
  /** True if the value names a file that holds secrets, which other users should not read. */
  readonly isSecretFile?: true;
  /** True if the value may have line breaks. No setting may have other control characters. */
  readonly hasLines?: true;
  /** Checks the text and turns it into the setting's value. Its messages never contain the value. */
  readonly schema: z.ZodType<unknown, string>;
}

/** One setting, with its subject. */
export interface Setting extends Omit<SettingRow, 'secret'> {
  readonly subject: SettingSubject;
  /** True if the value must never be shown. */
  readonly secret: boolean;
}

/** Returns the row of a setting that names a file with a secret, in place of the setting with the secret itself. */
export const fileRow = <const Name extends string>(name: Name, secret: string) =>
  ({
    name,
    meaning: `File with ${secret} instead, such as a mounted secret.`,
    isSecretFile: true,
    schema: text,
  }) as const;

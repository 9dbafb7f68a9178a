import type { ErrorCode } from '../../src/errors';

/** What something means, and what a person should do. */
export interface Explained {
  readonly meaning: string;
  readonly remedy: string;
}

/** Codes of what is over before a console serves, or of what a console does not do. */
type NeverShown =
  | 'INVALID_SETTINGS'
  | 'INVALID_FILE'
  | 'PORT_IN_USE'
  | 'FOLDER_IN_USE'
  | 'ENGINE_NOT_FOUND'
  | 'ENGINE_STUCK'
  | 'SESSION_CONFLICT'
  | 'HISTORY_UNREADABLE';

/** The codes that a page may show: a new one needs its words in every language, or this does not compile. */
export type ShownCode = Exclude<ErrorCode, NeverShown>;

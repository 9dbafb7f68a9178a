import { ACTING, ACTS, ADOPTING } from './acts';
import { ANSWERS } from './answers';
import { ERRORS } from './errors';
import { OVERVIEW } from './overview';
import { PAYMENTS } from './payments';
import { PROBLEMS } from './problems';
import { RECONCILIATION } from './reconciliation';
import { SESSION } from './session';
import { SESSIONS, BULK } from './sessions';
import { CODES, STANDINGS } from './standings';
import { languagesOf } from '../../src/web/language';

/**
 * All texts of the console's pages, except those of the shell around them (`src/web/shell/texts.ts`) and of return codes
 * (`src/contract/return-codes.ts`).
 */
const CATALOGUE = {
  answers: ANSWERS,
  errors: ERRORS,
  problems: PROBLEMS,
  standings: STANDINGS,
  codes: CODES,
  overview: OVERVIEW,
  sessions: SESSIONS,
  payments: PAYMENTS,
  reconciliation: RECONCILIATION,
  session: SESSION,
  acts: ACTS,
  acting: ACTING,
  adopting: ADOPTING,
  bulk: BULK,
};

export const textsOf = languagesOf(CATALOGUE);

export type Texts = ReturnType<typeof textsOf>;

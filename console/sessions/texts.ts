import type { SessionProblem } from '../../src/protocol/state/problems';
import type { SessionPhase } from '../../src/protocol/state/recorded';
import type { Language } from '../../web/language';

export interface SessionsTexts {
  readonly title: string;
  readonly phases: Readonly<Record<SessionPhase, string>>;
  readonly problems: Readonly<Record<SessionProblem, string>>;
  readonly search: {
    readonly label: string;
    readonly hint: string;
    readonly button: string;
    readonly found: (text: string) => string;
    readonly all: string;
  };
  readonly filters: {
    readonly title: string;
    readonly any: string;
    readonly account: string;
    readonly after: string;
    readonly before: string;
    readonly button: string;
    readonly clear: string;
    readonly wrong: string;
    readonly mistake: (field: string, typed: string) => string;
    readonly counted: string;
    /** A moment follows. */
    readonly countedAt: string;
  };
  readonly facets: Readonly<Record<'phase' | 'problem' | 'status' | 'code' | 'kind', string>>;
  readonly columns: {
    readonly key: string;
    readonly state: string;
    readonly problems: string;
    readonly kind: string;
    readonly account: string;
    readonly reference: string;
    readonly started: string;
    readonly ended: string;
  };
  readonly list: string;
  readonly matching: (count: string) => string;
  readonly newest: string;
  readonly none: { readonly heading: string; readonly body: string };
  readonly nothingFound: {
    readonly heading: string;
    readonly body: string;
    /** Of texts that begin with a quotation mark, an apostrophe or a backslash. */
    readonly oddSigns: string;
  };
  readonly noneAtAll: { readonly heading: string; readonly body: string };
}

const EN: SessionsTexts = {
  title: 'Sessions',
  phases: {
    creating: 'Creating',
    parked: 'Parked',
    open: 'Open',
    cancelling: 'Cancelling',
    ended: 'Ended',
  },
  problems: {
    parked: 'Waits for a decision',
    serviceFailing: 'Calls keep failing',
    possibleOrphan: 'Possible orphan',
    sessionUnknown: 'Unknown to the service',
    wrongSession: 'Answer about another session',
    backwardStatus: 'Status went backwards',
    unknownStatus: 'Unknown status',
    unknownCode: 'Unknown code',
    unreadableCode: 'Unreadable code',
    missingCode: 'Completed without a code',
    unverifiedEnd: 'Ended without a last look',
    recordFull: 'Record is full',
  },
  search: {
    label: 'Find a session',
    hint: 'By key, reference or the service’s session id, or by the beginning of a key or reference.',
    button: 'Find',
    found: (text) => `Found for “${text}”`,
    all: 'All sessions',
  },
  filters: {
    title: 'Filters',
    any: 'any',
    account: 'Account',
    after: 'Started after (UTC)',
    before: 'Started before (UTC)',
    button: 'Show',
    clear: 'Clear the filters',
    wrong: 'The filter is invalid; all sessions are shown.',
    mistake: (field, typed) => `${field}: “${typed}” is not a known value.`,
    counted: 'Each count is of all sessions.',
    countedAt: 'Counted',
  },
  facets: { phase: 'Phase', problem: 'Problem', status: 'Status', code: 'Code', kind: 'Kind' },
  columns: {
    key: 'Key',
    state: 'State',
    problems: 'Problems',
    kind: 'Kind',
    account: 'Account',
    reference: 'Reference',
    started: 'Started',
    ended: 'Ended',
  },
  list: 'Sessions, newest first',
  matching: (count) => (count === '1' ? '1 session matches' : `${count} sessions match`),
  newest: 'Back to the newest',
  none: {
    heading: 'No session matches',
    body: 'No session matches all filters. Remove one to see more.',
  },
  nothingFound: {
    heading: 'Nothing found',
    body: 'No session has this key, reference or id. Ended sessions disappear after the namespace’s retention period; a reference is not found if the session’s policy keeps it out of search.',
    oddSigns:
      'On SQLite or PostgreSQL, Temporal’s index finds no reference that begins with a quotation mark, an apostrophe or a backslash.',
  },
  noneAtAll: {
    heading: 'No sessions yet',
    body: 'Sessions appear here as soon as a payment is started.',
  },
};

const FR: SessionsTexts = {
  title: 'Sessions',
  phases: {
    creating: 'En création',
    parked: 'En suspens',
    open: 'Ouverte',
    cancelling: 'En annulation',
    ended: 'Terminée',
  },
  problems: {
    parked: 'Attend une décision',
    serviceFailing: 'Appels en échec répété',
    possibleOrphan: 'Doublon possible',
    sessionUnknown: 'Inconnue du service',
    wrongSession: 'Réponse sur une autre session',
    backwardStatus: 'Retour en arrière du statut',
    unknownStatus: 'Statut inconnu',
    unknownCode: 'Code inconnu',
    unreadableCode: 'Code illisible',
    missingCode: 'Terminée sans code',
    unverifiedEnd: 'Terminée sans dernier regard',
    recordFull: 'Dossier plein',
  },
  search: {
    label: 'Trouver une session',
    hint: 'Par clé, référence ou identifiant de session du service; ou par le début d’une clé ou d’une référence.',
    button: 'Trouver',
    found: (text) => `Résultats pour « ${text} »`,
    all: 'Toutes les sessions',
  },
  filters: {
    title: 'Filtres',
    any: 'peu importe',
    account: 'Compte',
    after: 'Commencée après (UTC)',
    before: 'Commencée avant (UTC)',
    button: 'Afficher',
    clear: 'Effacer les filtres',
    wrong: 'Le filtre est illisible; toutes les sessions sont affichées.',
    mistake: (field, typed) => `${field}\u00a0: «\u00a0${typed}\u00a0» est inconnu.`,
    counted: 'Chaque nombre porte sur toutes les sessions.',
    countedAt: 'Décompte fait',
  },
  facets: { phase: 'Phase', problem: 'Problème', status: 'Statut', code: 'Code', kind: 'Type' },
  columns: {
    key: 'Clé',
    state: 'État',
    problems: 'Problèmes',
    kind: 'Type',
    account: 'Compte',
    reference: 'Référence',
    started: 'Début',
    ended: 'Fin',
  },
  list: 'Sessions, les plus récentes d’abord',
  matching: (count) =>
    count === '0' || count === '1' ? `${count} session correspond` : `${count} sessions correspondent`,
  newest: 'Retour aux plus récentes',
  none: {
    heading: 'Aucune session ne correspond',
    body: 'Rien ne réunit tous les filtres. Retirez-en un pour en voir davantage.',
  },
  nothingFound: {
    heading: 'Aucun résultat',
    body: 'Aucune session n’a cette clé, cette référence ou cet identifiant. Les sessions terminées disparaissent après la durée de conservation; une référence reste introuvable si la politique de la session l’exclut de la recherche.',
    oddSigns:
      'Sur SQLite ou PostgreSQL, l’index de Temporal ne trouve aucune référence qui commence par un guillemet droit, une apostrophe ou une barre oblique inverse.',
  },
  noneAtAll: {
    heading: 'Aucune session pour l’instant',
    body: 'Tout est en ordre : la liste se remplira d’elle-même dès le premier paiement.',
  },
};

const TEXTS: Readonly<Record<Language, SessionsTexts>> = { EN, FR };

export const sessionsTexts = (language: Language): SessionsTexts => TEXTS[language];

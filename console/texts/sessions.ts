import type { SessionPhase } from '../../src/protocol/state/recorded';
import type { Catalogue, Text } from '../../src/web/language';
import { counted, FILTERS, WORDS } from './words';

const { account, ended, find, key, kind, reference, started, state, status } = WORDS;

/** The list of sessions. */
export const SESSIONS = {
  title: { EN: 'Sessions', FR: 'Sessions' },
  phases: {
    creating: { EN: 'Creating', FR: 'En création' },
    parked: { EN: 'Waiting for a decision', FR: 'Décision attendue' },
    open: { EN: 'Open', FR: 'Ouverte' },
    cancelling: { EN: 'Cancelling', FR: 'En annulation' },
    ended: { EN: 'Ended', FR: 'Terminée' },
  } satisfies Readonly<Record<SessionPhase, Text>>,
  /** A run that began after the key's session had ended. */
  answered: { EN: 'answered from the ledger', FR: 'selon le registre' },
  search: {
    label: { EN: 'Find a session', FR: 'Trouver une session' },
    hint: {
      EN: 'By key, reference or payment service session id; the start of a key or reference is enough.',
      FR: 'Par clé, référence ou identifiant de session du service de paiement; le début d’une clé ou d’une référence suffit.',
    },
    button: find,
    found: {
      EN: (text: string) => `Results for “${text}”`,
      FR: (text: string) => `Résultats pour «\u00a0${text}\u00a0»`,
    },
    all: { EN: 'All sessions', FR: 'Toutes les sessions' },
  },
  filters: {
    ...FILTERS,
    after: {
      EN: (zone: string) => `Started after (${zone})`,
      FR: (zone: string) => `Commencée après (${zone})`,
    },
    before: {
      EN: (zone: string) => `Started before (${zone})`,
      FR: (zone: string) => `Commencée avant (${zone})`,
    },
    wrong: {
      EN: 'The filter is invalid; all sessions are shown.',
      FR: 'Le filtre est illisible; toutes les sessions sont affichées.',
    },
    mistake: {
      EN: (field: string, typed: string) => `${field}: “${typed}” is not a known value.`,
      FR: (field: string, typed: string) => `${field}\u00a0: «\u00a0${typed}\u00a0» est inconnu.`,
    },
    counted: {
      EN: 'Counts cover all sessions, whatever the filters.',
      FR: 'Chaque nombre porte sur toutes les sessions, quels que soient les filtres.',
    },
    /** The word before the age of the counts. */
    countedAt: { EN: 'Counted', FR: 'Décompte fait' },
  },
  facets: {
    phase: { EN: 'Phase', FR: 'Phase' },
    problem: { EN: 'Problem', FR: 'Problème' },
    status,
    code: { EN: 'Code', FR: 'Code' },
    kind,
  },
  columns: { key, state, kind, account, reference, started, ended },
  list: { EN: 'Sessions, newest first', FR: 'Sessions, les plus récentes d’abord' },
  matching: counted({
    EN: ['# session matches', '# sessions match'],
    FR: ['# session correspond', '# sessions correspondent'],
  }),
  newest: { EN: 'Back to the newest', FR: 'Retour aux plus récentes' },
  none: {
    heading: { EN: 'No session matches', FR: 'Aucune session ne correspond' },
    body: {
      EN: 'No session matches all filters. Remove one to see more.',
      FR: 'Rien ne réunit tous les filtres. Retirez-en un pour en voir davantage.',
    },
  },
  nothingFound: {
    heading: { EN: 'Nothing found', FR: 'Aucun résultat' },
    body: {
      EN: 'No session has this key, reference or id. Ended sessions disappear after the namespace’s retention period; a reference is not found if the session’s policy keeps it out of search.',
      FR: 'Aucune session n’a cette clé, cette référence ou cet identifiant. Les sessions terminées disparaissent après la durée de conservation; une référence reste introuvable si la politique de la session l’exclut de la recherche.',
    },
    /** For texts that begin with a quotation mark, an apostrophe, a backslash or a question mark. */
    oddSigns: {
      EN: 'The search finds no reference that begins with a question mark. On SQLite or PostgreSQL, it also finds no reference that begins with a quotation mark, an apostrophe or a backslash.',
      FR: 'La recherche ne trouve aucune référence qui commence par un point d’interrogation. Sur SQLite ou PostgreSQL, elle n’en trouve aucune non plus qui commence par un guillemet droit, une apostrophe ou une barre oblique inverse.',
    },
  },
  noneAtAll: {
    heading: { EN: 'No sessions yet', FR: 'Aucune session pour l’instant' },
    body: {
      EN: 'Sessions appear here as soon as a payment is started.',
      FR: 'Les sessions apparaîtront ici dès qu’un paiement aura commencé.',
    },
  },
} satisfies Catalogue;

/** Actions on all sessions of a filtered list. */
export const BULK = {
  /** The text before the buttons of the list. */
  offer: { EN: 'All that match:', FR: 'Toutes celles qui correspondent\u00a0:' },
  acts: {
    cancel: {
      name: { EN: 'Cancel all…', FR: 'Tout annuler…' },
      question: { EN: 'Cancel these sessions?', FR: 'Annuler ces sessions?' },
    },
    refresh: {
      name: { EN: 'Refresh all…', FR: 'Tout vérifier…' },
      question: {
        EN: 'Poll the payment service for these sessions now?',
        FR: 'Interroger maintenant le service de paiement sur ces sessions?',
      },
    },
    retry: {
      name: { EN: 'Create all again…', FR: 'Tout créer de nouveau…' },
      question: { EN: 'Create these sessions again?', FR: 'Créer ces sessions de nouveau?' },
    },
    abandon: {
      name: { EN: 'Abandon all…', FR: 'Tout abandonner…' },
      question: { EN: 'Abandon these sessions?', FR: 'Abandonner ces sessions?' },
    },
  },
  confirm: {
    cancel: counted({
      EN: ['Cancel # session', 'Cancel # sessions'],
      FR: ['Annuler # session', 'Annuler # sessions'],
    }),
    refresh: counted({
      EN: ['Poll for # session', 'Poll for # sessions'],
      FR: ['Vérifier # session', 'Vérifier # sessions'],
    }),
    retry: counted({
      EN: ['Create # session again', 'Create # sessions again'],
      FR: ['Créer # session de nouveau', 'Créer # sessions de nouveau'],
    }),
    abandon: counted({
      EN: ['Abandon # session', 'Abandon # sessions'],
      FR: ['Abandonner # session', 'Abandonner # sessions'],
    }),
  },
  which: { EN: 'These sessions, and no others', FR: 'Ces sessions, et aucune autre' },
  left: counted({
    EN: [
      '# session of the list is left out: this action does not apply to it.',
      '# sessions of the list are left out: this action does not apply to them.',
    ],
    FR: [
      '# session de la liste est laissée de côté : cette action ne s’y applique pas.',
      '# sessions de la liste sont laissées de côté : cette action ne s’y applique pas.',
    ],
  }),
  /** Sessions that may exist already, so that a retry could make a second one, or whose state cannot be read or shows no wait. */
  undecidable: counted({
    EN: [
      '# session is left out: the payment service has named one that it may have opened, or its state could not be read or has changed. Open its page to decide.',
      '# sessions are left out: the payment service has named the ones that it may have opened, or their states could not be read or have changed. Open their pages to decide.',
    ],
    FR: [
      '# session est laissée de côté : le service de paiement a nommé celle qu’il a peut-être ouverte, ou son état n’a pas pu être lu ou a changé. Ouvrez sa page pour décider.',
      '# sessions sont laissées de côté : le service de paiement a nommé celles qu’il a peut-être ouvertes, ou leur état n’a pas pu être lu ou a changé. Ouvrez leurs pages pour décider.',
    ],
  }),
  more: { EN: 'Show the next sessions of the list', FR: 'La liste continue : afficher les suivantes' },
  none: {
    heading: { EN: 'No session to change', FR: 'Rien à faire ici' },
    body: {
      EN: 'This action is not possible for any session in this part of the list.',
      FR: 'Aucune session de cette partie de la liste n’est dans un état qui le permet.',
    },
  },
  results: {
    title: { EN: 'Results', FR: 'Ce qu’il est advenu de chacune' },
    result: { EN: 'Result', FR: 'Résultat' },
    gone: {
      heading: { EN: 'This list is no longer available', FR: 'Cette liste n’est plus disponible' },
      body: {
        EN: 'The record of each session says what was done to it, by whom and why.',
        FR: 'Le dossier de chaque session dit ce qui y a été fait, par qui et pourquoi.',
      },
    },
  },
} satisfies Catalogue;

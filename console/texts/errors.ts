import { ERROR_CODES, type ErrorCode } from '../../src/errors';
import type { Text } from '../../src/web/language';

/**
 * Codes of errors that occur before a console serves, and of calls that a console does not make. Also `INVALID_FILE`, for which the page
 * of reconciliation has its own texts.
 */
type NeverShown =
  | 'INVALID_FILE'
  | 'SESSION_NOT_OPENED'
  | 'SESSION_STILL_OPENING'
  | 'SEARCH_ATTRIBUTES_MISSING'
  | 'SEARCH_ATTRIBUTES_MISTYPED'
  | 'PORT_IN_USE'
  | 'RUNTIME_UNSUPPORTED'
  | 'FOLDER_IN_USE'
  | 'TEMPORAL_NOT_FOUND'
  | 'TEMPORAL_STUCK'
  | 'TESTED_CODE_FAILED'
  | 'HISTORY_UNREADABLE'
  | 'WEBHOOK_ENDPOINT_UNKNOWN';

/** The codes that a page may show. A new one needs its texts in every language, or this does not compile. */
type ShownCode = Exclude<ErrorCode, NeverShown>;

const TABLE: Readonly<Record<ShownCode, Readonly<Record<'meaning' | 'remedy', French>>>> = {
  INVALID_REQUEST: {
    meaning: 'La demande enfreint les règles du service de paiement; rien n’a été envoyé.',
    remedy: 'Corrigez la demande, puis recommencez.',
  },
  INVALID_FILTER: {
    meaning: 'Un filtre de la liste est mal formé; rien n’a été cherché.',
    remedy: 'Corrigez les filtres, puis recommencez.',
  },
  SESSION_CONFLICT: {
    meaning: 'La clé appartient à une session d’une autre demande.',
    remedy: 'Prenez une nouvelle clé pour un nouveau paiement. La même demande rejoint la session existante.',
  },
  LEDGER_UNAVAILABLE: {
    meaning: 'Le serveur PostgreSQL du registre ne répond pas.',
    remedy:
      'Vérifiez que le serveur est en marche, et PAYSESSION_LEDGER_URL. Aucune session de paiement n’est créée avant qu’il réponde.',
  },
  LEDGER_REFUSED: {
    meaning: 'Le serveur PostgreSQL du registre a refusé l’appel.',
    remedy: 'Vérifiez l’utilisateur, le mot de passe, la base et les droits dans PAYSESSION_LEDGER_URL.',
  },
  LEDGER_DATABASE_UNFIT: {
    meaning: 'La base de données du registre ne peut pas garder ce que le registre écrit.',
    remedy:
      'Utilisez une base en UTF-8 et un rôle qui exécute les déclencheurs : `create database paysession encoding UTF8 template template0`, puis `paysession ledger migrate`.',
  },
  LEDGER_SCHEMA_OUTDATED: {
    meaning: 'Les tables du registre sont plus anciennes que cette version, ou manquent encore.',
    remedy: 'Lancez `paysession ledger migrate`.',
  },
  LEDGER_SCHEMA_NEWER: {
    meaning: 'Les tables du registre sont plus récentes que cette version.',
    remedy: 'Mettez paysession à la version qui a migré le registre.',
  },
  LEDGER_TAMPERED: {
    meaning: 'Le registre a été modifié : des entrées ne sont plus ce qui a été écrit, ou manquent.',
    remedy:
      'Lancez `paysession ledger verify --since` avec le dernier point de contrôle publié : la commande affiche la première anomalie.',
  },
  SESSION_NOT_FOUND: {
    meaning: 'Aucune session de paiement n’a cette clé.',
    remedy:
      'Vérifiez la clé et l’espace de noms. Les sessions terminées disparaissent après la durée de conservation de l’espace de noms; un registre les connaît encore.',
  },
  CANCEL_PENDING: {
    meaning:
      'L’annulation est retenue et parviendra au service de paiement, mais il n’y a pas encore de réponse.',
    remedy: {
      EN: 'Wait: the session’s page will show the outcome. Make sure that a worker is running.',
      FR: 'Attendez : la page de la session montrera ce qu’il en est. Vérifiez qu’un worker est en marche.',
    },
  },
  SESSION_BUSY: {
    meaning: 'Trop d’appelants attendent la session. Ce qui a été demandé continue.',
    remedy: 'Consultez l’état de la session, ou demandez plus tard.',
  },
  SESSION_CONTINUED: {
    meaning:
      'La session est passée à une nouvelle exécution avant de répondre. Ce qui a été demandé continue.',
    remedy: { EN: 'Try again.', FR: 'Demandez de nouveau.' },
  },
  SESSION_UPDATE_LIMIT: {
    meaning:
      'Temporal ne prend plus de mises à jour pour cette exécution de la session : elle en a eu le maximum.',
    remedy: 'Demandez de nouveau : la session passe à une nouvelle exécution dès que possible.',
  },
  SESSION_MISMATCH: {
    meaning:
      'La session nommée n’est pas ce paiement : son type, son sens, sa référence ou son montant diffère.',
    remedy: {
      EN: 'Find the right session at the payment service, and adopt it by its id.',
      FR: 'Cherchez la bonne session auprès du service de paiement, et adoptez-la par son identifiant.',
    },
  },
  SESSION_FOLLOWED: {
    meaning:
      'Une autre session de paiement suit la session nommée, ou l’a suivie : son paiement a cette autre clé.',
    remedy: {
      EN: 'Find the session that this create request opened at the payment service, and adopt it by its id.',
      FR: 'Cherchez auprès du service de paiement la session que cette demande de création a ouverte, et adoptez-la par son identifiant.',
    },
  },
  SESSION_MAYBE_FOLLOWED: {
    meaning:
      'Une autre clé a peut-être fait la session nommée, ou la revendique aussi, et personne ne peut encore le dire; ou l’index de Temporal est en retard.',
    remedy:
      'Demandez de nouveau dans un instant. Si une autre clé est nommée, voyez d’abord ce qu’elle devient.',
  },
  SESSION_TERMINATED: {
    meaning: 'Le workflow de la session a été arrêté de l’extérieur, ou son temps est écoulé.',
    remedy: 'Vérifiez si la session est encore ouverte auprès du service de paiement.',
  },
  CREATE_OUTCOME_UNKNOWN: {
    meaning:
      'La demande de création a peut-être atteint le service de paiement, mais la réponse s’est perdue ou n’est pas crédible, ou une réinitialisation a annulé la demande. La session attend une décision.',
    remedy: {
      EN: 'Look for the session in the payment service’s own records, then decide.',
      FR: 'Cherchez la session dans les dossiers du service de paiement, puis décidez.',
    },
  },
  CREATE_ABANDONED: {
    meaning: 'Une personne a abandonné la demande de création, dont l’issue était inconnue.',
    remedy:
      'Assurez-vous qu’aucune session n’est restée ouverte auprès du service de paiement, puis prenez une nouvelle clé.',
  },
  CREATE_DEADLINE_PASSED: {
    meaning: 'La session n’a pas pu être créée avant son échéance.',
    remedy:
      'Vérifiez le service de paiement, puis recommencez : avec la même clé, ou une nouvelle si son état a un doublon possible.',
  },
  INVALID_INPUT: {
    meaning: {
      EN: 'The session does not accept this at this point.',
      FR: 'La session n’accepte pas cela à ce stade.',
    },
    remedy: { EN: 'Check the session’s state first.', FR: 'Voyez d’abord où en est la session.' },
  },
  INVALID_SETTINGS: {
    meaning: 'Un réglage manque ou est mal formé.',
    remedy:
      'Corrigez-le comme le dit le message. docs/reference/settings.md, dans le paquet, présente tous les réglages.',
  },
  UNKNOWN_ACCOUNT: {
    meaning: 'Le worker n’a pas d’identifiants pour le compte de la session.',
    remedy:
      'Ajoutez le compte au fichier des comptes du worker, et redémarrez le worker : une session qui l’attend s’ouvre alors d’elle-même. Si son nom est mal écrit, annulez la session et recommencez.',
  },
  TEMPORAL_UNAVAILABLE: {
    meaning: 'Le serveur Temporal ne répond pas.',
    remedy: 'Démarrez-le, ou corrigez son adresse (TEMPORAL_ADDRESS).',
  },
  TEMPORAL_BUSY: {
    meaning: 'Le serveur Temporal est surchargé, ou limite ses appelants.',
    remedy:
      'Réessayez dans quelques secondes. Si cela dure, vérifiez la charge du serveur et ses limites de débit.',
  },
  TEMPORAL_REFUSED: {
    meaning: 'Le serveur Temporal a refusé l’appel.',
    remedy: 'Vérifiez l’espace de noms et les identifiants de la console.',
  },
  ENCRYPTION_KEY_MISSING: {
    meaning: 'Des données sont chiffrées avec une clé qui manque.',
    remedy: 'Ajoutez cette clé à PAYSESSION_ENCRYPTION_KEYS, après la clé courante.',
  },
  ENCRYPTION_TAMPERED: {
    meaning:
      'Des données chiffrées ont été modifiées, viennent d’une autre session ou d’un autre espace de noms, ou ont été chiffrées avec une autre clé du même nom.',
    remedy:
      'Comparez PAYSESSION_ENCRYPTION_KEYS avec les clés du worker qui les a écrites, et les espaces de noms que vous nommez. Si tout concorde, les données ont été modifiées : suivez docs/guides/encryption.md, dans le paquet.',
  },
  ENCRYPTION_REQUIRED: {
    meaning: 'Des données de la session sont en clair, là où le chiffrement est exigé.',
    remedy: 'Donnez les clés à celui qui les a envoyées.',
  },
  WORKER_UNAVAILABLE: {
    meaning: 'Aucun worker n’a répondu à temps.',
    remedy: 'Démarrez-en un, dans l’espace de noms et sur la file de tâches de la session.',
  },
  SERVICE_UNREACHABLE: {
    meaning: 'Le service de paiement n’a pas pu être joint; rien n’a été envoyé.',
    remedy: 'Vérifiez l’URL de base du compte et le réseau du worker.',
  },
  SERVICE_INTERRUPTED: {
    meaning: 'La connexion a échoué ou a expiré après l’envoi de l’appel.',
    remedy: {
      EN: 'Reads and cancellations are retried. A create request is sent again, or waits for a decision.',
      FR: 'Les lectures et les annulations sont refaites. Une demande de création est renvoyée, ou attend une décision.',
    },
  },
  SERVICE_CREDENTIALS_REJECTED: {
    meaning: 'Le service de paiement refuse l’identifiant et le secret du client.',
    remedy:
      'Corrigez le client id et le secret du compte dans les réglages du worker ou dans son fichier de comptes, et redémarrez le worker : une session qui l’attend s’ouvre alors d’elle-même.',
  },
  SERVICE_TOKEN_REJECTED: {
    meaning: 'Le service de paiement a refusé un jeton d’accès qui vient d’être émis (401).',
    remedy: 'Adressez-vous à l’exploitant du service de paiement au sujet du client.',
  },
  SERVICE_REQUEST_REJECTED: {
    meaning: 'Le service de paiement refuse la demande comme invalide (400 ou un autre 4xx).',
    remedy:
      'Corrigez ce que le service nomme, et recommencez : avec la même clé, ou une nouvelle si son état a un doublon possible.',
  },
  SERVICE_FORBIDDEN: {
    meaning: 'Il manque au client une fonction dont la demande a besoin (403).',
    remedy: 'Demandez à l’exploitant du service de paiement de l’activer.',
  },
  SERVICE_SESSION_UNKNOWN: {
    meaning: 'Le service de paiement ne connaît pas la session (404).',
    remedy: 'Vérifiez que le compte et l’adresse sont ceux avec lesquels elle a été ouverte.',
  },
  SERVICE_WRONG_SESSION: {
    meaning: 'Le service de paiement a renvoyé une autre session; la réponse a été ignorée.',
    remedy:
      'Rien à faire : l’appel est répété. Si cela continue, vérifiez l’URL de base du compte et le cache d’un mandataire.',
  },
  SERVICE_RATE_LIMITED: {
    meaning: 'Le service de paiement a reçu trop d’appels (429).',
    remedy: 'Rien à faire : l’appel est répété après le délai que le service demande.',
  },
  SERVICE_PAUSED: {
    meaning: 'Les appels de ce compte sont suspendus; rien n’a été envoyé.',
    remedy: 'Rien à faire : l’appel est répété.',
  },
  SERVICE_FAILED: {
    meaning: 'Le service de paiement a répondu par une erreur de serveur (5xx) ou une redirection.',
    remedy: {
      EN: 'Calls are retried. A create request is sent again, or waits for a decision. For a redirect, correct the account’s base URL.',
      FR: 'Les appels sont répétés. Une demande de création est renvoyée, ou attend une décision. Pour une redirection, corrigez l’URL de base du compte.',
    },
  },
  SERVICE_UNREADABLE: {
    meaning: 'La réponse du service de paiement est vide, trop longue, ou n’est pas celle de son contrat.',
    remedy: 'Vérifiez que l’URL de base du compte désigne le service de paiement.',
  },
};

/** The error codes. A page's text differs from the command line's if the page itself offers the remedy. */
export const ERRORS = Object.fromEntries(
  Object.entries(TABLE).map(([code, row]) => [code, withFrench(ERROR_CODES[code as ShownCode], row)]),
) as Readonly<Record<ShownCode, Explained>>;

/** The meaning of a code, and what a person should do. */
export type Explained = Readonly<Record<'meaning' | 'remedy', Text>>;

/** The French version of an English text in `src`; or both versions, if a page's text differs from the command line's. */
export type French = string | Text;

/** Returns a row of `src`, which is in English, in all languages. */
export function withFrench(
  english: Readonly<Record<'meaning' | 'remedy', string>>,
  { meaning, remedy }: Readonly<Record<'meaning' | 'remedy', French>>,
): Explained {
  return { meaning: both(english.meaning, meaning), remedy: both(english.remedy, remedy) };
}

function both(english: string, french: French): Text {
  return typeof french === 'string' ? { EN: english, FR: french } : french;
}

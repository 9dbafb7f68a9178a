import type { Catalogue, Text } from '../../src/web/language';
import type { Direction, MoneyPlace } from '../../ledger/sessions/summary';
import { counted, FILTERS, WORDS } from './words';

const { account, amount, customer, direction, ended, find, key, kind, money, reference, started, state } =
  WORDS;

/** The list of the ledger's payments. */
export const PAYMENTS = {
  title: { EN: 'Payments', FR: 'Paiements' },
  titleOfCustomer: {
    EN: (customer: string) => `Payments of customer ${customer}`,
    FR: (customer: string) => `Paiements du client ${customer}`,
  },
  search: {
    label: { EN: 'Find a payment', FR: 'Trouver un paiement' },
    hint: {
      EN: 'By any part of a reference (three characters or more), the start of a key, an amount, or the payment service’s session id.',
      FR: 'Par une partie de la référence (trois caractères ou plus), le début de la clé, un montant ou l’identifiant de session du service de paiement.',
    },
  },
  filters: {
    ...FILTERS,
    ...{ money, direction, kind },
    metadata: { EN: 'Metadata (name=value)', FR: 'Métadonnée (nom=valeur)' },
    amountFrom: { EN: 'Amount from', FR: 'Montant minimal' },
    amountTo: { EN: 'Amount up to', FR: 'Montant maximal' },
    from: { EN: 'Started from', FR: 'Commencés à partir du' },
    to: { EN: 'Started up to', FR: 'Commencés jusqu’au' },
    endedFrom: { EN: 'Ended from', FR: 'Terminés à partir du' },
    endedTo: { EN: 'Ended up to', FR: 'Terminés jusqu’au' },
    sort: { EN: 'Sort by', FR: 'Trier par' },
    page: { EN: 'Page', FR: 'Page' },
    q: { EN: 'Search', FR: 'Recherche' },
    days: {
      EN: (zone: string) => `Days are counted from midnight to midnight in ${zone}.`,
      FR: (zone: string) => `Les jours vont de minuit à minuit, heure de ${zone}.`,
    },
    wrong: {
      EN: 'The filter is invalid; all payments are shown.',
      FR: 'Le filtre est illisible; tous les paiements sont affichés.',
    },
    mistake: {
      EN: (field: string, typed: string) => `${field}: “${typed}” cannot be read.`,
      FR: (field: string, typed: string) => `${field}\u00a0: «\u00a0${typed}\u00a0» est illisible.`,
    },
  },
  directions: {
    DEBIT: { EN: 'Money in', FR: 'Argent reçu' },
    CREDIT: { EN: 'Money out', FR: 'Argent versé' },
  } satisfies Readonly<Record<Direction, Text>>,
  money: {
    open: { EN: 'In progress', FR: 'En cours' },
    paid: { EN: 'Scheduled', FR: 'Prévu' },
    settled: WORDS.arrived,
    returned: WORDS.cameBack,
    unpaid: { EN: 'No payment', FR: 'Aucun paiement' },
    failed: { EN: 'Session failed', FR: 'Session échouée' },
  } satisfies Readonly<Record<MoneyPlace, Text>>,
  /** A further choice of the filter by money, like `late`. */
  waiting: { EN: 'Came back, not handled', FR: 'Retourné, non traité' },
  late: { EN: 'Late', FR: 'En retard' },
  columns: { key, amount, state, money, kind, account, reference, customer, claimed: started, ended },
  sorts: {
    '-claimed': { EN: 'Newest first', FR: 'Les plus récents d’abord' },
    claimed: { EN: 'Oldest first', FR: 'Les plus anciens d’abord' },
    '-ended': { EN: 'Last ended first', FR: 'Derniers terminés d’abord' },
    ended: { EN: 'First ended first', FR: 'Premiers terminés d’abord' },
    '-amount': { EN: 'Largest amount first', FR: 'Montants décroissants' },
    amount: { EN: 'Smallest amount first', FR: 'Montants croissants' },
  },
  sorted: {
    asc: { EN: 'sorted upwards', FR: 'ordre croissant' },
    desc: { EN: 'sorted downwards', FR: 'ordre décroissant' },
  },
  payor: {
    link: { EN: 'Find by the payor’s name…', FR: 'Trouver par le nom du payeur…' },
    title: { EN: 'Find payments by the payor’s name', FR: 'Trouver des paiements par le nom du payeur' },
    follows: {
      EN: (most: string) =>
        `The names of the newest ${most} payments of the list are decrypted and compared. The record of each session that is shown says that you viewed it, when and why. If a session has ended or its record is full, only the console’s log says that you viewed it. The log has each search, even without a result. The name that you enter is stored nowhere.`,
      FR: (most: string) =>
        `Les noms des ${most} paiements les plus récents de la liste sont déchiffrés et comparés. Le dossier de chaque session affichée dit que vous l’avez consultée, quand et pourquoi; pour une session terminée ou dont le dossier est plein, seul le journal de la console dit que vous l’avez consultée. Le journal note chaque recherche, même sans résultat. Le nom que vous saisissez n’est conservé nulle part.`,
    },
    name: { EN: 'Payor’s name, or a part of it', FR: 'Nom du payeur, ou une partie' },
    nameHint: {
      EN: 'At least three letters. For a short last name, enter the first name, too.',
      FR: 'Au moins trois lettres. Si le nom est court, donnez aussi le prénom.',
    },
    nameMissing: {
      EN: 'Enter at least three letters, and at most 100 characters.',
      FR: 'Donnez au moins trois lettres et au plus 100 caractères.',
    },
    hint: { EN: 'The payor has no reference at hand', FR: 'Le payeur n’a pas de référence sous la main' },
    button: find,
    found: {
      EN: (count: string, of: string) => `${count} of the ${of} payments that were searched`,
      FR: (count: string, of: string) => `${count} des ${of} paiements examinés`,
    },
    more: {
      EN: 'Some payments of the list were not searched or are not shown. To find them, narrow the list by day or amount.',
      FR: 'Certains paiements de la liste n’ont pas été examinés ou ne sont pas affichés. Pour les trouver, limitez la liste par jour ou par montant.',
    },
    unread: {
      EN: (count: string) => `Names that were not compared, because this console cannot read them: ${count}.`,
      FR: (count: string) =>
        `Noms que cette console ne peut pas lire, et qui n’ont pas été comparés : ${count}.`,
    },
    unrecorded: {
      EN: (count: string) =>
        `Found but not shown, because your view could not be recorded: ${count}. Search again once a worker answers.`,
      FR: (count: string) =>
        `Trouvés, mais non affichés, car votre consultation n’a pas pu être consignée : ${count}. Recommencez dès qu’un worker répondra.`,
    },
    none: {
      heading: { EN: 'No payor of that name', FR: 'Aucun payeur de ce nom' },
      body: {
        EN: 'No name that was compared contains this text. Erased names are not found.',
        FR: 'Aucun des noms comparés ne contient ce texte. Les noms effacés restent introuvables.',
      },
    },
    back: { EN: 'Back to the list', FR: 'Retour à la liste' },
  },
  totals: {
    /** The number of payments, before the amounts. */
    count: counted({ EN: ['# payment', '# payments'], FR: ['# paiement', '# paiements'] }),
    known: {
      EN: (count: string) => `(${count} with a known amount)`,
      FR: (count: string) => `(dont ${count} au montant connu)`,
    },
    /** The part of an amount that came back, after that amount. */
    returned: {
      EN: (amount: string) => `(of which ${amount} came back)`,
      FR: (amount: string) => `(dont ${amount} de retours)`,
    },
    counting: { EN: 'Still adding up…', FR: 'Addition en cours…' },
  },
  csv: { EN: 'Download as CSV', FR: 'Télécharger en CSV' },
  first: WORDS.firstPage,
  none: {
    heading: { EN: 'No payment matches', FR: 'Aucun paiement ne correspond' },
    body: {
      EN: 'Remove a filter to see more. A reference is not found if the session’s policy keeps it out of search. Metadata are found only if the policy makes them searchable.',
      FR: 'Retirez un filtre pour en voir davantage. Une référence reste introuvable si la politique de la session l’exclut de la recherche, une métadonnée si elle ne l’y inclut pas.',
    },
  },
  noneAtAll: {
    heading: { EN: 'No payments yet', FR: 'Aucun paiement pour l’instant' },
    body: {
      EN: 'The ledger records a payment before its session is created at the payment service.',
      FR: 'Le registre inscrit un paiement avant que sa session soit créée auprès du service de paiement.',
    },
  },
  away: {
    heading: { EN: 'The ledger cannot be read', FR: 'Impossible de lire le registre' },
    body: {
      EN: 'The list appears again once the ledger can be read. Open sessions are on the page “Sessions”.',
      FR: 'La liste réapparaîtra dès que le registre pourra être lu. Les sessions ouvertes figurent à la page «\u00a0Sessions\u00a0».',
    },
  },
} satisfies Catalogue;

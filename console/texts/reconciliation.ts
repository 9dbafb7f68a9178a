import type { UnmatchedReason } from '../../ledger/reconciliation/match';
import type { Catalogue, Text } from '../../src/web/language';
import { counted, WORDS } from './words';

const { amount, arrived, cameBack, day, direction, ended, money } = WORDS;
const NOT_MATCHED = { EN: 'Lines that no payment matches', FR: 'Lignes sans paiement' };
const EXPLAINED = { EN: 'The explanation was recorded', FR: 'L’explication est inscrite' };
const ACTION = { EN: 'Action', FR: 'Action' };

/** The page of reconciliation: files, the lines that no payment matches, and the money of each day. */
export const RECONCILIATION = {
  title: { EN: 'Reconciliation', FR: 'Rapprochement' },
  upload: {
    title: { EN: 'Reconcile a file', FR: 'Rapprocher un fichier' },
    file: { EN: 'The payment service’s file', FR: 'Fichier du service de paiement' },
    hint: {
      EN: 'A CSV file of at most 4 MB. First you see what would be recorded; nothing is recorded yet.',
      FR: 'Un fichier CSV de 4 Mo au plus. Vous verrez d’abord ce qui serait inscrit; rien ne l’est encore.',
    },
    missing: { EN: 'Choose a file.', FR: 'Choisissez un fichier.' },
    layout: { EN: 'Format and account', FR: 'Format et compte' },
    account: { EN: 'Account of the file', FR: 'Compte du fichier' },
    accountHint: {
      EN: 'Optional. If you enter an account, payments of other accounts are not matched.',
      FR: 'Facultatif. Si vous indiquez un compte, les paiements des autres comptes sont ignorés.',
    },
    columns: { EN: 'Titles of the columns', FR: 'Titres des colonnes' },
    columnsHint: {
      EN: 'Only if they differ from the usual ones. Example: reference=Ref,amount="Amount, CAD",date=Date,kind=Type',
      FR: 'Seulement s’ils diffèrent des titres habituels. Exemple : reference=Réf,amount="Montant, CAD",date=Date,kind=Type',
    },
    columnsWrong: {
      EN: 'Enter each title after its column, such as amount=Total,date=Day. The columns are reference, session, amount, currency, date, kind and code.',
      FR: 'Donnez chaque titre après sa colonne, par exemple : amount=Total,date=Jour. Les colonnes sont reference, session, amount, currency, date, kind et code.',
    },
    delimiter: { EN: 'Between the cells', FR: 'Entre les cellules' },
    delimiters: {
      '': { EN: 'A comma', FR: 'Une virgule' },
      ';': { EN: 'A semicolon', FR: 'Un point-virgule' },
      tab: { EN: 'A tab', FR: 'Une tabulation' },
    },
    button: { EN: 'Check the file', FR: 'Vérifier le fichier' },
    refused: { EN: 'The file cannot be used', FR: 'Le fichier est inutilisable' },
    why: {
      empty: { EN: 'The file is empty.', FR: 'Le fichier est vide.' },
      encoding: {
        EN: 'The file is not UTF-8. Save it as “CSV UTF-8”, and choose it again.',
        FR: 'Le fichier n’est pas en UTF-8. Enregistrez-le au format « CSV UTF-8 », puis choisissez-le de nouveau.',
      },
      columns: {
        EN: 'Its first line must name columns for amount, date, kind, and reference or session, each once. If the titles differ, or the cells are not divided by commas, say so below.',
        FR: 'Sa première ligne doit nommer, une seule fois chacune, les colonnes amount, date, kind, et reference ou session. Si les titres diffèrent ou si les cellules ne sont pas séparées par des virgules, indiquez-le ci-dessous.',
      },
    },
    otherFile: { EN: 'Choose another file', FR: 'Choisir un autre fichier' },
  },
  preview: {
    title: { EN: 'What would be recorded', FR: 'Ce qui serait inscrit' },
    nothingYet: { EN: 'Nothing is recorded yet', FR: 'Rien n’est encore inscrit' },
    confirm: {
      EN: 'Check the figures. Once you confirm, the lines are recorded with their payments, and those that no payment matches wait here.',
      FR: 'Vérifiez les chiffres. Une fois confirmées, les lignes sont inscrites avec leurs paiements, et celles qui restent sans paiement attendent ici.',
    },
    strange: {
      heading: {
        EN: 'No payment matches any of these lines',
        FR: 'Aucun paiement ne correspond à ces lignes',
      },
      body: {
        EN: 'Is it the file of another account, or of another environment? Its lines would all wait here.',
        FR: 'Est-ce le fichier d’un autre compte ou d’un autre environnement? Toutes ses lignes resteraient en attente ici.',
      },
    },
    button: { EN: 'Record the file', FR: 'Inscrire le fichier' },
    recorded: { EN: 'Would be recorded', FR: 'À inscrire' },
    known: { EN: 'Recorded before', FR: 'Déjà inscrites' },
    unmatched: { EN: 'Not matched', FR: 'Sans paiement' },
    settled: arrived,
    returned: cameBack,
    settledOut: { EN: 'Arrived, money out', FR: 'Arrivé, argent versé' },
    returnedOut: { EN: 'Came back, money out', FR: 'Retourné, argent versé' },
    money,
    count: { EN: 'Lines', FR: 'Lignes' },
    sum: amount,
    lines: NOT_MATCHED,
    more: {
      EN: (count: string) => `More lines that no payment matches: ${count}.`,
      FR: (count: string) => `Autres lignes sans paiement : ${count}.`,
    },
  },
  recorded: {
    heading: { EN: 'The file was recorded', FR: 'Le fichier est inscrit' },
    body: {
      EN: 'The first of the runs below says what was done.',
      FR: 'Le premier des passages ci-dessous en donne le détail.',
    },
  },
  explained: {
    heading: EXPLAINED,
    body: { EN: 'The line no longer waits.', FR: 'La ligne n’attend plus.' },
  },
  runExplained: {
    heading: EXPLAINED,
    body: { EN: 'The run’s lines no longer wait.', FR: 'Les lignes du passage n’attendent plus.' },
  },
  queue: {
    title: NOT_MATCHED,
    waiting: counted({
      EN: ['# line waits', '# lines wait'],
      FR: ['# ligne en attente', '# lignes en attente'],
    }),
    sum: {
      EN: (settled: string, returned: string) => `${settled} arrived, ${returned} came back`,
      FR: (settled: string, returned: string) => `${settled} arrivés, ${returned} retournés`,
    },
    columns: {
      ...{ day, amount, kind: money },
      payment: { EN: 'Reference or session', FR: 'Référence ou session' },
      why: { EN: 'Why', FR: 'Pourquoi' },
      place: { EN: 'File and line', FR: 'Fichier et ligne' },
      kept: { EN: 'Waiting since', FR: 'En attente depuis' },
      act: ACTION,
    },
    place: {
      EN: (file: string, line: string) => `${file}, line ${line}`,
      FR: (file: string, line: string) => `${file}, ligne ${line}`,
    },
    explain: { EN: 'Explain…', FR: 'Expliquer…' },
    none: {
      heading: { EN: 'No line waits', FR: 'Aucune ligne en attente' },
      body: {
        EN: 'Each line of the reconciliation files has its payment or an explanation.',
        FR: 'Chaque ligne des fichiers de rapprochement a son paiement ou une explication.',
      },
    },
    first: WORDS.firstPage,
  },
  reasons: {
    unreadable: {
      EN: 'The line cannot be read: correct it, reconcile the file again, then explain this line',
      FR: 'Ligne illisible : corrigez-la, repassez le fichier, puis expliquez cette ligne',
    },
    cutOff: {
      EN: 'The file ends in this line: fetch it again, or end it with a line break if it is whole. Reconcile it, then explain this line',
      FR: 'Le fichier s’arrête dans cette ligne : redemandez-le, ou terminez-le par un saut de ligne s’il est complet. Repassez-le, puis expliquez cette ligne',
    },
    unknown: {
      EN: 'The ledger knows no such payment: find out whose payment it is',
      FR: 'Paiement inconnu du registre : trouvez de qui il vient',
    },
    ambiguous: {
      EN: 'The line may mean several payments: ask for the right session id',
      FR: 'Plusieurs paiements possibles : demandez le bon identifiant de session',
    },
    anotherAmount: {
      EN: 'The payment has another amount: ask the payment service',
      FR: 'Le montant du paiement diffère : interrogez le service de paiement',
    },
    anotherCurrency: {
      EN: 'The payment has another currency: ask the payment service',
      FR: 'La devise du paiement diffère : interrogez le service de paiement',
    },
    anotherAccount: {
      EN: 'The payment belongs to another account: reconcile the file with that account, then explain this line',
      FR: 'Le paiement est d’un autre compte : passez le fichier avec ce compte, puis expliquez cette ligne',
    },
    impossibleDate: {
      EN: 'Money cannot have moved on this day: ask for the right day',
      FR: 'L’argent n’a pas pu bouger ce jour-là : demandez la bonne date',
    },
    notPaid: {
      EN: 'The payment ended unpaid: ask the payment service',
      FR: 'Le paiement a pris fin sans être payé : interrogez le service de paiement',
    },
    stillOpen: {
      EN: 'The payment’s session is still open: reconcile the file again when that session has ended',
      FR: 'Sa session est encore ouverte : repassez le fichier quand elle aura pris fin',
    },
    twice: {
      EN: 'Another line says the same of this payment: ask whether money moved twice',
      FR: 'Une autre ligne dit la même chose de ce paiement : demandez si l’argent a bougé deux fois',
    },
    tampered: {
      EN: 'The payment’s entries were changed: verify the ledger',
      FR: 'Les inscriptions du paiement ont été modifiées : vérifiez le registre',
    },
  } satisfies Readonly<Record<UnmatchedReason, Text>>,
  kinds: { settled: arrived, returned: cameBack },
  explain: {
    title: { EN: 'Explain a line', FR: 'Expliquer une ligne' },
    consequence: {
      EN: 'The line no longer waits, and its reference is erased. Your name and the explanation stay readable in the ledger: do not name the payor.',
      FR: 'La ligne n’attend plus, et sa référence est effacée. Votre nom et l’explication restent lisibles dans le registre : n’y nommez pas le payeur.',
    },
    runTitle: { EN: 'Explain the lines of a run', FR: 'Expliquer les lignes d’un passage' },
    runConsequence: {
      EN: 'These lines no longer wait, and their references are erased. Your name and the explanation stay readable in the ledger: do not name the payor.',
      FR: 'Aucune de ces lignes n’attend plus, et leurs références sont effacées. Votre nom et l’explication restent lisibles dans le registre : n’y nommez pas le payeur.',
    },
    runOverHeading: { EN: 'Nothing to explain in this run', FR: 'Rien à expliquer dans ce passage' },
    runOver: {
      EN: 'No line of this run waits, or a later run has read its lines again.',
      FR: 'Aucune ligne de ce passage n’est en attente, ou un passage plus récent a relu ses lignes.',
    },
    hint: {
      EN: 'An invoice of last year, which was paid by hand',
      FR: 'Une facture de l’an dernier, payée à la main',
    },
    button: { EN: 'Record the explanation', FR: 'Inscrire l’explication' },
    back: { EN: 'Back to the lines', FR: 'Retour aux lignes' },
    over: { EN: 'The line no longer waits', FR: 'La ligne n’attend plus' },
    matchedWith: { EN: 'Matched with', FR: 'Rapprochée de' },
    by: {
      EN: (by: string, explanation: string) => `Explained by ${by}: ${explanation}`,
      FR: (by: string, explanation: string) => `Expliquée par ${by} : ${explanation}`,
    },
  },
  runs: {
    title: { EN: 'Last runs', FR: 'Derniers passages' },
    columns: {
      began: { EN: 'Began', FR: 'Début' },
      file: { EN: 'File', FR: 'Fichier' },
      recorded: { EN: 'Recorded', FR: 'Inscrites' },
      known: { EN: 'Recorded before', FR: 'Déjà inscrites' },
      unmatched: { EN: 'Not matched', FR: 'Sans paiement' },
      resolved: { EN: 'Waiting lines matched', FR: 'En attente, rapprochées' },
      ended,
      act: ACTION,
    },
    explain: { EN: 'Explain its lines…', FR: 'Expliquer ses lignes…' },
    none: {
      heading: { EN: 'No file yet', FR: 'Aucun fichier pour l’instant' },
      body: {
        EN: 'The last runs of reconciliation files are listed here, including those of `paysession reconcile`.',
        FR: 'Les derniers passages de fichiers de rapprochement figurent ici, y compris ceux de `paysession reconcile`.',
      },
    },
  },
  arrivals: {
    title: { EN: 'Expected and arrived, last 30 days', FR: 'Attendu et arrivé, 30 derniers jours' },
    columns: {
      day: { EN: 'Paid on', FR: 'Payé le' },
      ...{ direction, arrived, returned: cameBack },
      payments: { EN: 'Payments', FR: 'Paiements' },
      expected: { EN: 'Expected', FR: 'Attendu' },
      outstanding: { EN: 'Difference', FR: 'Écart' },
      late: { EN: 'Late payments', FR: 'Paiements en retard' },
    },
    days: {
      EN: (zone: string, days: string) =>
        `Each payment is listed under the day on which it ended paid (time zone ${zone}). Money is late after ${days} business ${days === '1' ? 'day' : 'days'} of Canadian banks.`,
      FR: (zone: string, days: string) =>
        `Les paiements figurent au jour où ils ont abouti, à l’heure de ${zone}. L’argent est en retard après ${days} ${days === '1' ? 'jour ouvrable' : 'jours ouvrables'} des banques canadiennes.`,
    },
    none: {
      heading: { EN: 'No payment ended paid', FR: 'Aucun paiement n’a abouti' },
      body: {
        EN: 'The ledger has no paid payment of these days.',
        FR: 'Le registre n’a aucun paiement abouti ces jours-là.',
      },
    },
  },
} satisfies Catalogue;

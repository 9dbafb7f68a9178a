import type { Catalogue, Text } from '../../src/web/language';
import type { Figure } from '../../ledger/sessions/ledger-payments';
import { counted, WORDS } from './words';

const { account, day, kind } = WORDS;
const NOTHING_MEASURED = { EN: 'Nothing to measure yet', FR: 'Rien à mesurer pour l’instant' };

/** The overview, an operator's first page. */
export const OVERVIEW = {
  title: { EN: 'Overview', FR: 'Aperçu' },
  counting: {
    EN: 'Still counting. The figures will appear automatically.',
    FR: 'Décompte en cours; les chiffres s’afficheront d’eux-mêmes.',
  },
  parked: {
    title: { EN: 'Waiting for a decision', FR: 'En attente d’une décision' },
    what: counted({
      EN: ['# session is waiting for a decision', '# sessions are waiting for a decision'],
      FR: ['# session attend une décision', '# sessions attendent une décision'],
    }),
    remedy: {
      EN: 'The response to a create request was lost or not believed, or a reset has removed the request from the workflow’s history, so it is not known whether the payment service has the session. Look for it in the payment service’s own records, then open it here and decide.',
      FR: 'La réponse à une demande de création s’est perdue ou n’est pas crédible, ou une réinitialisation a effacé la demande de l’historique du workflow : on ne sait pas si le service de paiement a la session. Cherchez-la dans les dossiers du service de paiement, puis ouvrez-la ici et décidez.',
    },
    returned: counted({
      EN: ['# payment came back', '# payments came back'],
      FR: ['# paiement est retourné', '# paiements sont retournés'],
    }),
    returnedRemedy: {
      EN: 'Open each one: its page says why it came back and what to do. Then record what was done.',
      FR: 'Ouvrez-les un à un : leur page dit pourquoi l’argent est revenu et quoi faire. Consignez ensuite la suite donnée.',
    },
    allReturned: { EN: 'All payments that came back', FR: 'Tous les paiements retournés' },
    all: { EN: 'All sessions waiting for a decision', FR: 'Toutes les sessions en attente d’une décision' },
    unread: {
      EN: 'Payments that came back, late money and unmatched lines may be missing here until the ledger can be read.',
      FR: 'Des paiements retournés, de l’argent en retard ou des lignes sans paiement peuvent manquer ici tant que le registre ne peut pas être lu.',
    },
    none: {
      heading: { EN: 'Nothing is waiting for you', FR: 'Rien ne vous attend' },
      body: {
        EN: 'No payment is waiting for a decision.',
        FR: 'Aucun paiement n’attend de décision.',
      },
    },
  },
  late: {
    what: counted({
      EN: ['The money of # payment is late', 'The money of # payments is late'],
      FR: ['L’argent de # paiement est en retard', 'L’argent de # paiements est en retard'],
    }),
    remedy: {
      EN: 'No file has reported in time that the money has arrived or come back. See whether a file is missing, and ask the payment service about the rest.',
      FR: 'Aucun fichier n’a signalé à temps que l’argent est arrivé ou a été retourné. Voyez s’il manque un fichier, et interrogez le service de paiement sur le reste.',
    },
    all: { EN: 'All late payments', FR: 'Tous les paiements en retard' },
  },
  lines: {
    what: counted({
      EN: [
        'No payment matches # line of reconciliation files',
        'No payment matches # lines of reconciliation files',
      ],
      FR: [
        '# ligne des fichiers de rapprochement reste sans paiement',
        '# lignes des fichiers de rapprochement restent sans paiement',
      ],
    }),
    remedy: {
      EN: 'The page says why. Run a file again once its payments have ended, or explain the line.',
      FR: 'La page dit pourquoi. Repassez un fichier quand ses paiements sont terminés, ou expliquez la ligne.',
    },
    all: { EN: 'Unmatched lines', FR: 'Lignes sans paiement' },
  },
  accounts: {
    title: { EN: 'Accounts in trouble', FR: 'Comptes en difficulté' },
    what: {
      EN: 'Calls for these accounts’ sessions keep failing or are postponed. The sessions keep trying. Check the payment service and the account’s credentials.',
      FR: 'Les appels des sessions de ces comptes échouent ou sont reportés. Les sessions poursuivent leurs tentatives; vérifiez le service de paiement et les identifiants du compte.',
    },
    columns: {
      account,
      failing: { EN: 'Failing sessions', FR: 'Sessions en échec' },
      open: { EN: 'Open sessions', FR: 'Sessions ouvertes' },
      oldest: { EN: 'Oldest', FR: 'La plus ancienne' },
    },
    first: {
      EN: (count: string) => `Based on the newest ${count} failing sessions.`,
      FR: (count: string) => `Selon les ${count} sessions en échec les plus récentes.`,
    },
    none: {
      heading: { EN: 'All accounts are working', FR: 'Tous les comptes fonctionnent' },
      body: {
        EN: 'No open session has five failed calls in a row.',
        FR: 'Aucune session ouverte n’a cinq appels en échec de suite.',
      },
    },
  },
  problems: {
    title: { EN: 'Other problems', FR: 'Autres problèmes' },
    none: {
      heading: { EN: 'No other problems', FR: 'Aucun autre problème' },
      body: {
        EN: 'No session still on record has a problem of another kind.',
        FR: 'Aucune session conservée n’a de problème d’un autre genre.',
      },
    },
  },
  money: {
    title: { EN: 'Payments', FR: 'Paiements' },
    period: { EN: 'Period', FR: 'Période' },
    today: { EN: (day: string) => `Today, ${day}`, FR: (day: string) => `Aujourd’hui, ${day}` },
    week: { EN: 'Last 7 days', FR: '7 derniers jours' },
    figures: {
      opened: { EN: 'Opened', FR: 'Ouverts' },
      paid: { EN: 'Paid', FR: 'Payés' },
      settled: { EN: 'Arrived', FR: 'Arrivés' },
      returned: { EN: 'Came back', FR: 'Retournés' },
    } satisfies Readonly<Record<Figure, Text>>,
    converted: { EN: 'Opened to paid', FR: 'Ouverts puis payés' },
    byAccount: {
      EN: 'By account and kind, last 7 days',
      FR: 'Par compte et type, 7 derniers jours',
    },
    ...{ account, kind, day },
    others: {
      EN: (count: string) => `The rows with the most money paid are shown. Not shown: ${count}.`,
      FR: (count: string) =>
        `Les lignes au montant payé le plus élevé sont affichées. Non affichées : ${count}.`,
    },
    perDay: { EN: 'Payments per day, last 30 days', FR: 'Paiements par jour, 30 derniers jours' },
    moneyPerDay: { EN: 'Money per day, last 30 days', FR: 'Argent par jour, 30 derniers jours' },
    asTable: { EN: 'The same as a table', FR: 'La même chose en tableau' },
    days: {
      EN: (zone: string) =>
        `Days are those of ${zone}. Money arrives and comes back on the days of the reconciliation files. “Paid” means scheduled: money can still come back.`,
      FR: (zone: string) =>
        `Les jours sont ceux de ${zone}. L’argent arrive et revient aux jours des fichiers de rapprochement. «\u00a0Payé\u00a0» veut dire prévu : l’argent peut encore revenir.`,
    },
    away: {
      heading: { EN: 'The ledger cannot be read', FR: 'Impossible de lire le registre' },
      body: {
        EN: 'These figures return once the ledger can be read.',
        FR: 'Ces chiffres réapparaîtront dès que le registre pourra être lu.',
      },
    },
    none: {
      heading: { EN: 'No payments in the last 30 days', FR: 'Aucun paiement ces 30 derniers jours' },
      body: {
        EN: 'The ledger has recorded no session, and no money, in this time.',
        FR: 'Le registre n’a inscrit ni session ni argent durant cette période.',
      },
    },
  },
  open: {
    title: { EN: 'Open sessions by age', FR: 'Sessions ouvertes selon l’âge' },
    /** Groups by age, the youngest first. */
    ages: {
      EN: ['up to an hour', '1 to 6 hours', '6 to 24 hours', 'over a day'],
      FR: ['jusqu’à une heure', 'de 1 à 6 heures', 'de 6 à 24 heures', 'plus d’un jour'],
    } satisfies Text<readonly [string, string, string, string]>,
    none: {
      heading: { EN: 'No session is open', FR: 'Aucune session ouverte' },
      body: {
        EN: 'Every payment that was started has ended.',
        FR: 'Chaque paiement commencé est arrivé à son terme.',
      },
    },
  },
  ends: {
    title: {
      EN: (zone: string) => `Ended today (${zone})`,
      FR: (zone: string) => `Terminées aujourd’hui (${zone})`,
    },
    bars: {
      EN: 'Sessions that ended today, by status and code',
      FR: 'Sessions terminées aujourd’hui selon le statut et le code',
    },
    none: {
      heading: { EN: 'No sessions ended today', FR: 'Aucune session terminée aujourd’hui' },
      body: {
        EN: 'No payment has completed, failed, expired or been cancelled since midnight.',
        FR: 'Aucun paiement n’a abouti, échoué, expiré ou été annulé depuis minuit.',
      },
    },
  },
  /** Texts that the parts about times share. */
  times: {
    median: { EN: 'Median', FR: 'Médiane' },
    sample: counted({
      EN: ['Based on the last completed session.', 'Based on the last # completed sessions.'],
      FR: ['Selon la dernière session terminée.', 'Selon les # dernières sessions terminées.'],
    }),
  },
  opening: {
    title: { EN: 'Time to open', FR: 'Délai d’ouverture' },
    longest: { EN: 'Slowest', FR: 'La plus lente' },
    none: {
      heading: NOTHING_MEASURED,
      body: {
        EN: 'Figures appear once sessions have completed.',
        FR: 'La mesure se fera dès que des sessions seront terminées.',
      },
    },
  },
  delay: {
    title: { EN: 'Detection delay', FR: 'Délai de détection' },
    most: { EN: '95% noticed within', FR: '95 % constatées en' },
    atMost: {
      EN: 'The payment service does not say when a payment was made. This is the time since the previous poll, which is the most that the delay can have been.',
      FR: 'Le service de paiement ne dit pas quand un paiement a été fait : c’est le temps depuis l’interrogation précédente, donc le délai au plus.',
    },
    none: {
      heading: NOTHING_MEASURED,
      body: {
        EN: 'Figures appear once polls have seen sessions complete.',
        FR: 'La mesure se fera dès que des interrogations auront vu des sessions se terminer.',
      },
    },
  },
  workers: {
    title: { EN: 'Workers', FR: 'Workers' },
    columns: {
      worker: { EN: 'Worker', FR: 'Worker' },
      polled: { EN: 'Last polled', FR: 'Dernière demande de travail' },
      state: WORDS.state,
    },
    states: {
      active: { EN: 'Active', FR: 'Actif' },
      idle: { EN: 'Idle', FR: 'Au repos' },
      silent: { EN: 'Not responding', FR: 'Ne répond pas' },
      notCurrent: { EN: 'Version not current', FR: 'Version non courante' },
    },
    idle: {
      EN: 'An idle worker polls once a minute. One that has not polled for two minutes is shown as not responding.',
      FR: 'Un worker au repos demande du travail une fois par minute. Celui qui n’en a pas demandé depuis deux minutes est affiché comme ne répondant pas.',
    },
    silent: {
      heading: { EN: 'No worker answers', FR: 'Aucun worker ne répond' },
      body: {
        EN: 'The workers below polled a few minutes ago at most, and may have stopped since. Sessions wait, and continue once a worker is back; their deadlines do not wait.',
        FR: 'Ceux ci-dessous ont demandé du travail il y a quelques minutes au plus, et ont pu disparaître depuis. Les sessions attendent et reprendront avec un worker; leurs échéances n’attendent pas.',
      },
    },
    notCurrent: {
      heading: { EN: 'No worker gets sessions', FR: 'Aucun worker ne reçoit de sessions' },
      body: {
        EN: 'The workers below are of a version that is not current. Sessions wait until one is; their deadlines do not wait. Run paysession doctor: it prints the command that makes a version current.',
        FR: 'La version des workers ci-dessous n’est pas la version courante. Les sessions attendent qu’il y en ait une; leurs échéances n’attendent pas. Lancez paysession doctor : il donne la commande qui rend une version courante.',
      },
    },
    none: {
      heading: { EN: 'No worker polls the task queue', FR: 'Aucun worker n’interroge la file de tâches' },
      body: {
        EN: 'Sessions wait until one does; their deadlines do not wait. Start a worker, and the sessions continue.',
        FR: 'Les sessions attendent qu’il y en ait un; leurs échéances n’attendent pas. Démarrez un worker et les sessions reprennent.',
      },
    },
  },
} satisfies Catalogue;

import type { SessionProblem } from '../../src/protocol/state/problems';
import type { Language } from '../../web/language';

interface Words {
  readonly heading: string;
  readonly body: string;
}

export interface OverviewTexts {
  readonly title: string;
  readonly counting: string;
  readonly parked: {
    readonly title: string;
    readonly what: (count: string, isOne: boolean) => string;
    readonly remedy: string;
    readonly all: string;
    readonly none: Words;
  };
  readonly accounts: {
    readonly title: string;
    readonly what: string;
    readonly columns: {
      readonly account: string;
      readonly failing: string;
      readonly open: string;
      readonly oldest: string;
    };
    readonly first: (count: string) => string;
    readonly none: Words;
  };
  readonly problems: {
    readonly title: string;
    readonly remedies: Readonly<Record<SessionProblem, string>>;
    readonly none: Words;
  };
  readonly open: {
    readonly title: string;
    readonly bars: string;
    readonly ages: readonly [string, string, string, string];
    readonly none: Words;
  };
  readonly ends: {
    readonly title: string;
    readonly bars: string;
    readonly none: Words;
  };
  readonly opening: {
    readonly title: string;
    readonly sample: (count: number) => string;
    readonly median: string;
    readonly longest: string;
    readonly none: Words;
  };
  readonly delay: {
    readonly title: string;
    readonly sample: (count: number) => string;
    readonly median: string;
    readonly most: string;
    readonly atMost: string;
    readonly none: Words;
  };
  readonly workers: {
    readonly title: string;
    readonly columns: { readonly worker: string; readonly polled: string; readonly state: string };
    readonly states: Readonly<Record<'there' | 'quiet' | 'silent', string>>;
    readonly idle: string;
    readonly none: Words;
    readonly silent: Words;
  };
}

const EN: OverviewTexts = {
  title: 'Overview',
  counting: 'Still counting. The figures will appear automatically.',
  parked: {
    title: 'Waiting for a decision',
    what: (count, isOne) => (isOne ? `${count} session is parked` : `${count} sessions are parked`),
    remedy:
      'The answer to a create was lost, so nobody knows whether the service has the session. Look for it in the payment service’s own records, then open it here and decide.',
    all: 'All parked sessions',
    none: {
      heading: 'Nothing is waiting for you',
      body: 'No payment is waiting for a decision.',
    },
  },
  accounts: {
    title: 'Accounts in trouble',
    what: 'Calls for these accounts’ sessions keep failing or are postponed. The sessions keep trying. Check the payment service and the account’s credentials.',
    columns: {
      account: 'Account',
      failing: 'Failing sessions',
      open: 'Open sessions',
      oldest: 'Oldest of them',
    },
    first: (count) => `Of the accounts of the newest ${count} failing sessions.`,
    none: {
      heading: 'All accounts answer',
      body: 'No session has had five failed calls in a row.',
    },
  },
  problems: {
    title: 'Other problems',
    remedies: {
      parked: 'Decide what to do with each.',
      serviceFailing: 'Check the payment service and the account.',
      possibleOrphan:
        'Look for another session with the same reference at the payment service, and cancel it there.',
      sessionUnknown: 'Ask the payment service what happened to the session.',
      wrongSession: 'Report it to the payment service.',
      backwardStatus: 'Compare the session’s history with the payment service’s own records.',
      unknownStatus: 'Look the payment up at the payment service, and upgrade paysession.',
      unknownCode: 'Look the payment up at the payment service, and upgrade paysession.',
      unreadableCode: 'Look the payment up at the payment service.',
      missingCode: 'Look the payment up at the payment service before you deliver.',
      unverifiedEnd: 'Look the payment up at the payment service before you deliver or release.',
      recordFull: 'Read the rest in the workflow’s history.',
    },
    none: {
      heading: 'No other problems',
      body: 'In every session still on record, the payment service has kept to its contract.',
    },
  },
  open: {
    title: 'Open sessions by age',
    bars: 'Open sessions by the time since their start',
    ages: ['up to an hour', '1 to 6 hours', '6 to 24 hours', 'over a day'],
    none: { heading: 'No session is open', body: 'Every payment that was started has ended.' },
  },
  ends: {
    title: 'Ended today (UTC)',
    bars: 'Sessions that ended today by status and code',
    none: {
      heading: 'None ended today',
      body: 'No payment has failed, expired or been cancelled since midnight UTC.',
    },
  },
  opening: {
    title: 'Time to open',
    sample: (count) =>
      count === 1
        ? 'A sample: the last completed session.'
        : `A sample: the last ${count} completed sessions.`,
    median: 'Half opened within',
    longest: 'The slowest took',
    none: { heading: 'Nothing to measure yet', body: 'Figures appear once sessions have completed.' },
  },
  delay: {
    title: 'Detection delay',
    sample: (count) =>
      count === 1 ? 'Of the last completed session.' : `Of the last ${count} completed sessions.`,
    median: 'Half noticed within',
    most: '95 % noticed within',
    atMost:
      'The service does not say when a payment was made. This is the time since the previous poll, so the longest the delay can have been.',
    none: {
      heading: 'Nothing to measure yet',
      body: 'Figures appear once polls have seen sessions complete.',
    },
  },
  workers: {
    title: 'Workers',
    columns: { worker: 'Worker', polled: 'Last polled', state: 'State' },
    states: { there: 'There', quiet: 'Quiet', silent: 'Silent' },
    idle: 'An idle worker polls once a minute. One that has been quiet for longer is gone.',
    silent: {
      heading: 'No worker answers',
      body: 'The workers below polled within the last minute or so, and may have stopped since. Sessions lose nothing: they continue when a worker is back.',
    },
    none: {
      heading: 'No worker polls the task queue',
      body: 'Sessions stand still until one does. They lose nothing: start a worker and they go on.',
    },
  },
};

const FR: OverviewTexts = {
  title: 'Aperçu',
  counting: 'Décompte en cours; les chiffres s’afficheront d’eux-mêmes.',
  parked: {
    title: 'En attente d’une décision',
    what: (count, isOne) => (isOne ? `${count} session est en suspens` : `${count} sessions sont en suspens`),
    remedy:
      'La réponse à une création s’est perdue : nul ne sait si le service a créé la session. Cherchez-la dans les dossiers du service de paiement, puis ouvrez-la ici et décidez.',
    all: 'Toutes les sessions en suspens',
    none: {
      heading: 'Rien ne vous attend',
      body: 'Chaque création a reçu sa réponse : aucun paiement n’est arrêté faute de décision.',
    },
  },
  accounts: {
    title: 'Comptes en difficulté',
    what: 'Les appels des sessions de ces comptes échouent ou sont reportés. Les sessions poursuivent leurs tentatives; vérifiez le service de paiement et les identifiants du compte.',
    columns: {
      account: 'Compte',
      failing: 'Sessions en échec',
      open: 'Sessions ouvertes',
      oldest: 'La plus ancienne',
    },
    first: (count) => `Selon les ${count} sessions en échec les plus récentes.`,
    none: {
      heading: 'Tous les comptes répondent',
      body: 'Aucune session n’a connu cinq appels en échec de suite.',
    },
  },
  problems: {
    title: 'Autres problèmes',
    remedies: {
      parked: 'Prenez une décision pour chacune.',
      serviceFailing: 'Vérifiez le service de paiement et le compte.',
      possibleOrphan:
        'Cherchez une autre session ayant la même référence auprès du service de paiement, et annulez-la là-bas.',
      sessionUnknown: 'Demandez au service de paiement ce qu’est devenue la session.',
      wrongSession: 'Signalez-le au service de paiement.',
      backwardStatus: 'Comparez l’historique de la session avec les dossiers du service de paiement.',
      unknownStatus: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
      unknownCode: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
      unreadableCode: 'Vérifiez le paiement auprès du service.',
      missingCode: 'Vérifiez le paiement auprès du service avant de livrer.',
      unverifiedEnd: 'Vérifiez le paiement auprès du service avant de livrer ou de libérer.',
      recordFull: 'Lisez la suite dans l’historique du workflow.',
    },
    none: {
      heading: 'Aucun autre problème',
      body: 'Le service de paiement a respecté son contrat dans toutes les sessions conservées.',
    },
  },
  open: {
    title: 'Sessions ouvertes selon l’âge',
    bars: 'Sessions ouvertes selon le temps écoulé depuis leur début',
    ages: ['jusqu’à une heure', 'de 1 à 6 heures', 'de 6 à 24 heures', 'plus d’un jour'],
    none: { heading: 'Aucune session ouverte', body: 'Chaque paiement commencé est arrivé à son terme.' },
  },
  ends: {
    title: 'Terminées aujourd’hui (UTC)',
    bars: 'Sessions terminées aujourd’hui selon le statut et le code',
    none: {
      heading: 'Aucune fin aujourd’hui',
      body: 'Aucun paiement n’a échoué, expiré ou été annulé depuis minuit UTC.',
    },
  },
  opening: {
    title: 'Délai d’ouverture',
    sample: (count) =>
      count === 1
        ? 'Échantillon : la dernière session complétée.'
        : `Échantillon\u00a0: les ${count} dernières sessions complétées.`,
    median: 'La moitié ouvertes en',
    longest: 'La plus lente',
    none: {
      heading: 'Rien à mesurer pour l’instant',
      body: 'La mesure se fera dès que des sessions seront complétées.',
    },
  },
  delay: {
    title: 'Délai de détection',
    sample: (count) =>
      count === 1 ? 'De la dernière session complétée.' : `Des ${count} dernières sessions complétées.`,
    median: 'La moitié constatées en',
    most: '95 % constatées en',
    atMost:
      'Le service ne dit pas quand un paiement a été fait : c’est le temps depuis l’interrogation précédente, donc le délai au plus.',
    none: {
      heading: 'Rien à mesurer pour l’instant',
      body: 'La mesure se fera dès que des interrogations auront vu des sessions complétées.',
    },
  },
  workers: {
    title: 'Workers',
    columns: { worker: 'Worker', polled: 'Dernière demande de travail', state: 'État' },
    states: { there: 'Présent', quiet: 'Au repos', silent: 'Silencieux' },
    idle: 'Un worker sans travail en demande une fois par minute : s’il se tait plus longtemps, il a disparu.',
    silent: {
      heading: 'Aucun worker ne répond',
      body: 'Ceux ci-dessous ont demandé du travail il y a une minute environ, et ont pu disparaître depuis. Rien n’est perdu : les sessions reprendront avec un worker.',
    },
    none: {
      heading: 'Aucun worker n’interroge la file de tâches',
      body: 'Les sessions attendent qu’il y en ait un. Rien n’est perdu : démarrez un worker et elles reprennent.',
    },
  },
};

const TEXTS: Readonly<Record<Language, OverviewTexts>> = { EN, FR };

export const overviewTexts = (language: Language): OverviewTexts => TEXTS[language];

import { PROBLEMS_FR } from './problems-fr';
import type { Texts } from './texts';

export const FR: Texts = {
  title: (key) => `Session ${key}`,
  colon: ' :',
  facts: {
    amount: 'Montant',
    payorEnters: 'Le payeur le saisit',
    kind: 'Type',
    reference: 'Référence',
    account: 'Compte',
    paid: 'Payée',
    yes: 'Oui',
    no: 'Non',
    started: 'Début',
    ended: 'Fin',
    sessionId: 'Identifiant du service de paiement',
    unknown: 'Inconnu tant que la session ne répond pas',
    none: 'Aucune',
    masked: 'Donnée personnelle',
  },
  kinds: { EFT: 'TEF', GEFT: 'TEF garanti', 'e-Transfer': 'Virement électronique' },
  sections: {
    standing: 'Où en est la session',
    todo: 'Ce qu’il faut faire',
    timeline: 'Chronologie',
    request: 'Demande',
    links: 'Liens',
  },
  standings: {
    creating: {
      badge: 'En création',
      meaning:
        'La session est en cours de création auprès du service de paiement. Personne ne peut encore payer.',
    },
    parked: {
      badge: 'Décision attendue',
      meaning:
        'La réponse à la création s’est perdue : le service de paiement a peut-être la session, peut-être pas. Rien ne se passe tant que personne ne décide.',
    },
    open: { badge: 'Ouverte', meaning: 'Le payeur peut payer et ne l’a pas encore fait.' },
    unsigned: {
      badge: 'Signature manquante',
      meaning:
        'Le compte bancaire du payeur est validé, mais l’accord de débit préautorisé (DPA) n’est pas encore signé. La session n’est pas payée.',
    },
    unclear: {
      badge: 'Terminée, incertaine',
      meaning:
        'Le service de paiement dit que la session est terminée, mais pas si elle est payée. Ne livrez pas.',
    },
    unknownStatus: {
      badge: 'Statut inconnu',
      meaning:
        'Le service de paiement donne un statut que cette version ne connaît pas. La session reste suivie.',
    },
    cancelling: {
      badge: 'En annulation',
      meaning: 'Une annulation est en route vers le service de paiement, dont la réponse décide.',
    },
    paid: {
      badge: 'Payée',
      meaning:
        'Le payeur a fait sa part : la transaction est prévue. Un TEF ordinaire peut encore revenir, faute de provision ou par contestation; cela ne se voit pas ici.',
    },
    endedUnsigned: {
      badge: 'Finie, non signée',
      meaning: 'L’accord de débit préautorisé (DPA) n’a pas été signé à temps. La session n’est pas payée.',
    },
    endedUnclear: {
      badge: 'Finie, incertaine',
      meaning:
        'Le service de paiement a dit que la session est terminée, sans jamais dire si elle est payée. Vérifiez-y le paiement avant de livrer.',
    },
    endedUnverified: {
      badge: 'Finie, non vérifiée',
      meaning:
        'La session s’est terminée à son échéance, et personne n’a pu consulter le service de paiement après. Elle est peut-être payée : vérifiez-le là-bas avant de livrer ou de libérer.',
    },
    failed: {
      badge: 'Échouée',
      meaning:
        'Le paiement a échoué à la banque du payeur ou lors de sa connexion. La session n’est pas payée.',
    },
    cancelled: {
      badge: 'Annulée',
      meaning: 'La session est annulée. Elle n’est pas payée et personne ne peut plus payer.',
    },
    expired: { badge: 'Expirée', meaning: 'Le payeur n’a pas fini à temps. La session n’est pas payée.' },
    neverOpened: {
      badge: 'Finie par une erreur',
      meaning: 'La session a fini par une erreur. Pour autant qu’elle le sache, elle n’est pas payée.',
    },
    terminated: {
      badge: 'Arrêtée de l’extérieur',
      meaning:
        'Le workflow de la session a été arrêté de l’extérieur. Il ne suit plus rien : la session est peut-être encore ouverte auprès du service de paiement.',
    },
    over: { badge: 'Finie', meaning: 'La session est finie. Rien n’indique qu’elle soit payée.' },
    unknown: { badge: 'Inconnu', meaning: 'On ne sait pas en ce moment où en est la session.' },
  },
  codes: {
    EFT0101: 'Session créée; le payeur n’a pas encore commencé.',
    EFT0301: 'Transaction planifiée; session entièrement terminée.',
    EFT0302: 'Compte bancaire validé; signature de l’accord de DPA attendue.',
    EFT0401: 'Échec de la connexion : identifiants refusés par l’institution financière.',
    EFT0403: 'Échec de l’identification : le payeur ne correspond pas au compte bancaire.',
    EFT0404: 'Solde disponible insuffisant.',
    EFT0501: 'Session annulée par un appel à l’API.',
    EFT0601: 'Session expirée : le payeur est resté inactif ou n’a pas terminé.',
  },
  nothingToDo: { meaning: 'Rien à faire.', remedy: 'Aucun problème n’est connu pour cette session.' },
  notKnownNow: {
    meaning: 'Inconnu en ce moment.',
    remedy: 'On saura si la session a un problème dès qu’elle sera de nouveau lisible.',
  },
  problems: PROBLEMS_FR,
  silence: {
    engine: {
      heading: 'Le serveur Temporal ne répond pas',
      body: 'Ce qui est affiché ici peut être périmé. La page se rétablit d’elle-même.',
    },
    worker: {
      heading: 'Aucun worker ne répond pour cette session',
      body: 'Elle reste en suspens jusqu’à ce qu’il y en ait un, et ce qu’on lui a demandé aussi. Son échéance n’attend pas : un paiement qui n’est pas créé d’ici là ne le sera jamais, et celui que personne ne peut consulter peut finir non vérifié, une semaine plus tard par défaut. Ce que le serveur Temporal sait est affiché. La page se rétablit d’elle-même.',
    },
    locked: {
      heading: 'La session ne peut pas être lue ici',
      body: 'Ses données sont chiffrées avec une clé que cette console n’a pas. Donnez-lui cette clé.',
    },
  },
  notNow: {
    engine: (acts) => `Impossible sans le serveur Temporal : ${acts}. Les boutons reviendront avec lui.`,
    worker: (acts) => `Impossible sans worker : ${acts}. Les boutons reviendront avec lui.`,
  },
  asOfBefore: 'Selon sa dernière réponse :',
  failedCalls: (count) =>
    count === 1
      ? '1 appel a échoué ou a été reporté'
      : `${count} appels de suite ont échoué ou ont été reportés`,
  timeline: {
    columns: ['Quand (UTC)', 'Quoi', 'Détails'],
    started: 'Début',
    over: 'Fin du workflow',
    nextCall: 'Prochain appel',
    seen: 'État',
    sources: {
      create: 'appris par la création',
      poll: 'appris par une vérification',
      cancel: 'appris par l’annulation',
    },
    cancel: 'Annulation demandée',
    cancelBy: { caller: 'par un appelant', deadline: 'par l’échéance de la session' },
    trouble: 'Des appels échouent',
    anomaly: 'Anomalie',
    decision: 'Décision',
    by: (name) => `par ${name}`,
    reason: (reason) => ['Motif :', reason].join(' '),
    unreadableCode: 'avec un code qui n’est pas du texte',
  },
  cadence: {
    every: (duration) => `Le service de paiement est interrogé environ toutes les ${duration} en ce moment.`,
    notOpen: 'Le service de paiement n’est pas encore interrogé : il n’y a pas de session à vérifier.',
    over: 'Le service de paiement n’est plus interrogé.',
    unknown: 'On ne sait pas en ce moment à quel rythme le service de paiement est interrogé.',
  },
  decisions: {
    adopt: 'Adopter une session',
    retry: 'Créer de nouveau',
    abandon: 'Abandonner',
    cancel: 'Annuler',
    refresh: 'Vérifier',
    reveal: 'Consulter les données personnelles',
  },
  outcomes: {
    cancelled: 'Le service de paiement a annulé la session. Personne ne peut plus payer.',
    neverCreated: 'L’annulation est arrivée avant la création : rien n’a été créé et rien ne le sera.',
    possiblyCreated:
      'L’annulation est arrivée avant la création suivante, mais l’issue d’une création précédente est inconnue : cherchez une session avec cette référence auprès du service de paiement.',
    alreadyEnded: 'La session était déjà finie. Rien n’a changé.',
    lostToCompletion: 'Le payeur a été plus rapide : la session est terminée et le paiement tient.',
    lostToFailure: 'La session avait échoué avant. Elle n’est pas payée.',
    lostToExpiry: 'La session avait expiré avant. Elle n’est pas payée.',
  },
  pending: 'en cours',
  applied: 'fait',
  cancelKept:
    'L’annulation est retenue : elle sera faite dès que quelqu’un aura décidé au sujet de la création perdue.',
  staysParked: 'Rien n’a changé : la session attend toujours une décision.',
  request: {
    columns: ['Champ', 'Valeur'],
    explained: 'Les données personnelles sont masquées.',
    reveal: 'Afficher les données personnelles',
    revealed:
      'Les données personnelles ne sont affichées que sur cette page. Votre consultation et son motif sont consignés.',
    notKept:
      'La session est finie ou son dossier est plein : votre consultation n’est consignée que dans le journal de la console.',
    locked:
      'La demande est chiffrée avec une clé que cette console n’a pas; elle ne peut pas être affichée ici.',
    notAnInput: 'Ce qui a lancé ce workflow n’est pas une demande de session de paiement.',
    notRead: 'La demande n’a pas été lue : le serveur Temporal ne répond pas.',
    serviceSaid: 'Ce que le service de paiement a dit',
  },
  links: { temporal: 'Historique dans Temporal', checkout: 'La page du payeur' },
  acts: {
    refresh: {
      name: 'Vérifier',
      question: 'Interroger maintenant le service de paiement sur cette session?',
      confirm: 'Interroger',
      hint: 'Le payeur dit avoir payé',
      done: 'Vérification faite.',
    },
    cancel: {
      name: 'Annuler…',
      question: 'Annuler cette session?',
      confirm: 'Annuler la session',
      hint: 'Le client a commandé par erreur',
      done: 'Annulation :',
    },
    adopt: {
      name: 'Adopter une session…',
      question: 'Adopter la session que la création a faite?',
      confirm: 'Adopter',
      hint: 'Trouvée dans la liste du service de paiement, même montant et même heure',
      done: 'Adoptée : la session est suivie à partir de maintenant.',
    },
    retry: {
      name: 'Créer de nouveau…',
      question: 'Créer cette session de nouveau?',
      confirm: 'Créer de nouveau',
      hint: 'Absente de la liste du service de paiement',
      done: 'La session est créée de nouveau.',
    },
    abandon: {
      name: 'Abandonner…',
      question: 'Abandonner cette session?',
      confirm: 'Abandonner',
      hint: 'Le client paie autrement',
      done: 'La session a été abandonnée.',
    },
    reveal: {
      name: 'Afficher les données personnelles…',
      question: 'Afficher les données personnelles de cette session?',
      confirm: 'Afficher',
      hint: 'Le payeur demande quelle adresse courriel nous avons',
      done: 'Les données personnelles ont été affichées.',
    },
  },
  cancelConsequence: {
    creating:
      'Rien ne sera créé auprès du service de paiement. Si la création est en route, elle est menée à terme, puis la session qu’elle a ouverte est annulée.',
    parked:
      'L’annulation est retenue jusqu’à ce que quelqu’un décide au sujet de la création perdue. Si la décision est de créer de nouveau, rien n’est plus créé; une session adoptée est alors annulée.',
    open: 'Le payeur ne pourra plus payer. S’il paie avant, le paiement tient. Cela ne peut pas être défait : un nouveau paiement demande une nouvelle clé.',
    unsigned:
      'Le payeur a tout fait, sauf signer. Le service de paiement refuse d’annuler à ce stade : très probablement, rien ne changera.',
    over: 'La session est finie : rien ne changera.',
  },
  consequences: {
    refresh:
      'Le service de paiement est interrogé une fois, tout de suite. Rien d’autre ne change. Si les appels de ce compte sont suspendus, la réponse tarde.',
    adopt:
      'Le worker cherche la session auprès du service de paiement. Si le type, le sens, la référence et un montant fixe concordent, elle est suivie à partir de là. S’ils diffèrent, ou si le service ne la connaît pas, rien ne change et l’on vous dit pourquoi.',
    retry:
      'La demande est envoyée une fois de plus. Si la création perdue avait fait une session, il y en aura deux : la première peut rester ouverte, et le payeur peut recevoir deux courriels.',
    abandon:
      'La session finit par une erreur et rien n’est plus créé. Si la création perdue avait fait une session, elle reste ouverte auprès du service de paiement : annulez-la là-bas. Cela ne peut pas être défait.',
    reveal:
      'La demande vous est montrée une fois, telle qu’elle a été envoyée. Votre consultation, son heure et son motif restent au dossier de la session.',
  },
  form: {
    follows: 'Ce qui s’ensuit',
    example: (text) => ['Par exemple :', text].join(' '),
    reason: 'Motif (consigné pour de bon)',
    sessionId: 'Identifiant de la session chez le service de paiement',
    sessionIdHint: 'Un UUID, tel que le montrent les dossiers du service de paiement',
    back: 'Revenir sans rien faire',
    reasonMissing: 'Donnez un motif, de 500 caractères au plus.',
    sessionIdWrong: 'Ce n’est pas un identifiant du service de paiement : ce doit être un UUID.',
  },
};

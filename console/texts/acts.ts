import type { CancelOutcome, Decision } from '../../src/protocol/state/recorded';
import type { Catalogue, Text } from '../../src/web/language';
import { WORDS } from './words';

/** An operator's actions. */
export const ACTS = {
  refresh: {
    /** The button that leads to the confirmation. */
    name: { EN: 'Refresh', FR: 'Vérifier' },
    /** The question of the confirmation. */
    question: {
      EN: 'Poll the payment service for this session now?',
      FR: 'Interroger maintenant le service de paiement sur cette session?',
    },
    /** The button that performs the action. */
    confirm: { EN: 'Poll now', FR: 'Interroger' },
    /** An example of a reason, for its field. */
    hint: { EN: 'The payor says they have paid', FR: 'Le payeur dit avoir payé' },
    /** The heading of a success. For a cancel, it is the heading of every result, which follows. */
    done: { EN: 'Refreshed.', FR: 'Vérification faite.' },
  },
  cancel: {
    name: { EN: 'Cancel…', FR: 'Annuler…' },
    question: { EN: 'Cancel this session?', FR: 'Annuler cette session?' },
    confirm: { EN: 'Cancel the session', FR: 'Annuler la session' },
    hint: { EN: 'The customer ordered by mistake', FR: 'Le client a commandé par erreur' },
    done: { EN: 'Cancellation:', FR: 'Annulation :' },
  },
  adopt: {
    name: { EN: 'Adopt a session…', FR: 'Adopter une session…' },
    question: {
      EN: 'Adopt the session that the create request opened?',
      FR: 'Adopter la session que la demande de création a ouverte?',
    },
    confirm: { EN: 'Adopt it', FR: 'Adopter' },
    hint: {
      EN: 'Found in the payment service’s list, same amount and time',
      FR: 'Trouvée dans la liste du service de paiement, même montant et même heure',
    },
    done: {
      EN: 'Adopted: the session is now followed.',
      FR: 'Adoptée : la session est suivie à partir de maintenant.',
    },
  },
  retry: {
    name: { EN: 'Create again…', FR: 'Créer de nouveau…' },
    question: { EN: 'Create this session again?', FR: 'Créer cette session de nouveau?' },
    confirm: { EN: 'Create again', FR: 'Créer de nouveau' },
    hint: { EN: 'Not in the payment service’s list', FR: 'Absente de la liste du service de paiement' },
    done: {
      EN: 'The decision to create again was carried out.',
      FR: 'La décision de créer de nouveau est appliquée.',
    },
  },
  abandon: {
    name: { EN: 'Abandon…', FR: 'Abandonner…' },
    question: { EN: 'Abandon this session?', FR: 'Abandonner cette session?' },
    confirm: { EN: 'Abandon', FR: 'Abandonner' },
    hint: { EN: 'The customer is paying another way', FR: 'Le client paie autrement' },
    done: { EN: 'The session was abandoned.', FR: 'La session a été abandonnée.' },
  },
  handle: {
    name: { EN: 'Record what was done…', FR: 'Consigner la suite donnée…' },
    question: {
      EN: 'Record what was done about the money that came back?',
      FR: 'Consigner la suite donnée à l’argent retourné?',
    },
    confirm: { EN: 'Record it', FR: 'Consigner' },
    hint: {
      EN: 'Collected again as order-1042-again',
      FR: 'Redemandé sous la clé order-1042-again',
    },
    done: {
      EN: 'Recorded. This return is no longer waiting for a decision.',
      FR: 'Consigné. Ce retour n’attend plus de décision.',
    },
  },
  reveal: {
    name: { EN: 'Show personal data…', FR: 'Afficher les données personnelles…' },
    question: {
      EN: 'Show the personal data of this session?',
      FR: 'Afficher les données personnelles de cette session?',
    },
    confirm: { EN: 'Show it', FR: 'Afficher' },
    hint: {
      EN: 'The payor asks which email address we have',
      FR: 'Le payeur demande quelle adresse courriel nous avons',
    },
  },
} satisfies Catalogue;

/** Consequences and outcomes of actions, and their forms. */
export const ACTING = {
  /** Consequences of a cancel, by the session's standing. */
  cancelConsequence: {
    creating: {
      EN: 'No further create request will be sent. If one is already in progress, it finishes first, and the session that it opens is then cancelled.',
      FR: 'Aucune autre demande de création ne sera envoyée. Si une demande est en cours, elle est menée à terme, puis la session qu’elle a ouverte est annulée.',
    },
    parked: {
      EN: 'The cancellation waits until an operator decides about the create request with an unknown outcome. If the decision is to create again, nothing is created; an adopted session is then cancelled.',
      FR: 'L’annulation est retenue jusqu’à ce que quelqu’un décide au sujet de la demande de création dont l’issue est inconnue. Si la décision est de créer de nouveau, plus rien n’est créé; une session adoptée est alors annulée.',
    },
    open: {
      EN: 'The payor will no longer be able to pay. If they pay first, the payment stands. This cannot be undone: a new payment needs a new key.',
      FR: 'Le payeur ne pourra plus payer. S’il paie avant, le paiement tient. Cela ne peut pas être défait : un nouveau paiement demande une nouvelle clé.',
    },
    unsigned: {
      EN: 'The payment service already reports the session as completed. It refuses to cancel at this point, so most likely nothing changes.',
      FR: 'Le service de paiement donne déjà la session pour terminée. Il refuse d’annuler à ce stade : très probablement, rien ne changera.',
    },
    over: {
      EN: 'The session has ended: nothing will change.',
      FR: 'La session est finie : rien ne changera.',
    },
    unknown: {
      EN: 'The session’s state is not known at the moment. If it is open, the payor will no longer be able to pay, and this cannot be undone.',
      FR: 'L’état de la session est inconnu en ce moment. Si elle est ouverte, le payeur ne pourra plus payer, et cela ne peut pas être défait.',
    },
  },
  consequences: {
    refresh: {
      EN: 'The payment service is polled once, immediately. Nothing else changes. While this account’s calls are paused, the answer takes longer. If the session is being cancelled, the cancellation is sent again instead.',
      FR: 'Le service de paiement est interrogé une fois, tout de suite. Rien d’autre ne change. Si les appels de ce compte sont suspendus, la réponse tarde. Si la session est en annulation, c’est l’annulation qui est renvoyée.',
    },
    adopt: {
      EN: 'The worker looks the session up at the payment service. If its type, direction, reference and any fixed amount match, and no other key has it, the session is followed from then on. Otherwise nothing changes, and the page says why.',
      FR: 'Le worker cherche la session auprès du service de paiement. Si le type, le sens, la référence et un montant fixe concordent, et si aucune autre clé n’a la session, elle est suivie à partir de là. Sinon, rien ne change et la page dit pourquoi.',
    },
    retry: {
      EN: 'The request is sent once more, unless a cancellation is recorded. If the earlier request did open a session, there will be two: the first may stay open, and the payor may get two emails.',
      FR: 'La demande est envoyée une fois de plus, sauf si une annulation est retenue. Si la demande précédente avait ouvert une session, il y en aura deux : la première peut rester ouverte, et le payeur peut recevoir deux courriels.',
    },
    abandon: {
      EN: 'The session ends with an error, and nothing more is created. If the create request did open a session, it stays open at the payment service: cancel it there. This cannot be undone.',
      FR: 'La session finit par une erreur et plus rien n’est créé. Si la demande de création avait ouvert une session, elle reste ouverte auprès du service de paiement : annulez-la là-bas. Cela ne peut pas être défait.',
    },
    handle: {
      EN: 'The ledger records your name, the time and what you write, and this return leaves the list of what is waiting for a decision. No money moves. If the personal data has been erased, what you write stays readable: do not name the payor.',
      FR: 'Le registre consigne votre nom, l’heure et ce que vous écrivez, et ce retour quitte la liste de ce qui attend une décision. Aucun argent ne bouge. Si les données personnelles ont été effacées, ce que vous écrivez reste lisible : ne nommez pas le payeur.',
    },
    reveal: {
      EN: 'The request is shown to you once, as it was sent. The session’s record will show that you viewed it, when and why. If the session has ended or its record is full, only the console’s log shows that you viewed it.',
      FR: 'La demande vous est montrée une fois, telle qu’elle a été envoyée. Votre consultation, son heure et son motif restent au dossier de la session. Si la session est finie ou son dossier plein, seul le journal de la console note votre consultation.',
    },
  },
  form: {
    follows: { EN: 'What will happen', FR: 'Ce qui s’ensuit' },
    example: {
      EN: (text: string) => `For example: ${text}`,
      FR: (text: string) => `Par exemple\u00a0: ${text}`,
    },
    reason: { EN: 'Reason (recorded permanently)', FR: 'Motif (consigné pour de bon)' },
    sessionIdHint: {
      EN: 'A UUID, as the payment service’s own records show it',
      FR: 'Un UUID, tel que le montrent les dossiers du service de paiement',
    },
    back: { EN: 'Go back without changes', FR: 'Revenir sans rien faire' },
    reasonMissing: {
      EN: 'Give a reason of at most 500 characters.',
      FR: 'Donnez un motif, de 500 caractères au plus.',
    },
    sessionIdWrong: {
      EN: 'This is not a payment service session id: it must be a UUID.',
      FR: 'Ce n’est pas un identifiant du service de paiement : ce doit être un UUID.',
    },
  },
  /** Decisions in the timeline. */
  decisions: {
    adopt: { EN: 'Adopt a session', FR: 'Adopter une session' },
    retry: { EN: 'Create again', FR: 'Créer de nouveau' },
    abandon: { EN: 'Abandon', FR: 'Abandonner' },
    cancel: { EN: 'Cancel', FR: 'Annuler' },
    refresh: { EN: 'Refresh', FR: 'Vérifier' },
    reveal: { EN: 'Show personal data', FR: 'Afficher les données personnelles' },
  } satisfies Readonly<Record<Decision['decision'], Text>>,
  /** Outcomes of a cancel. */
  outcomes: {
    cancelled: {
      EN: 'The payment service has cancelled the session. It can no longer be paid.',
      FR: 'Le service de paiement a annulé la session. Personne ne peut plus payer.',
    },
    neverCreated: {
      EN: 'The session was cancelled before it was created: nothing was created, and nothing will be.',
      FR: 'La session a été annulée avant d’être créée : rien n’a été créé et rien ne le sera.',
    },
    possiblyCreated: {
      EN: 'The session was cancelled before the create request was sent again, but the outcome of an earlier one is unknown: look for a session with this reference at the payment service.',
      FR: 'La session a été annulée avant que la demande de création soit renvoyée, mais l’issue d’une demande précédente est inconnue : cherchez une session avec cette référence auprès du service de paiement.',
    },
    alreadyEnded: {
      EN: 'The session had already ended. Nothing was changed.',
      FR: 'La session était déjà finie. Rien n’a changé.',
    },
    lostToCompletion: {
      EN: 'The session was completed first, so it was not cancelled. If the payor has paid, the payment stands.',
      FR: 'La session a été terminée avant, et n’est donc pas annulée. Si le payeur a payé, le paiement tient.',
    },
    lostToFailure: {
      EN: 'The session had already failed. It was not paid.',
      FR: 'La session avait déjà échoué. Elle n’est pas payée.',
    },
    lostToExpiry: {
      EN: 'The session had already expired. It was not paid.',
      FR: 'La session avait déjà expiré. Elle n’est pas payée.',
    },
  } satisfies Readonly<Record<CancelOutcome, Text>>,
  pending: { EN: 'in progress', FR: 'en cours' },
  applied: { EN: 'done', FR: 'fait' },
  /** The outcome of a cancel while the session waits for a decision. */
  cancelKept: {
    EN: 'The cancellation is recorded. It takes effect once an operator has decided about the create request with an unknown outcome.',
    FR: 'L’annulation est retenue : elle prendra effet dès que quelqu’un aura décidé au sujet de la demande de création dont l’issue est inconnue.',
  },
  /** Shown after the refusal of an adoption that leaves the session waiting. */
  staysParked: {
    EN: 'Nothing was changed: the session is still waiting for a decision.',
    FR: 'Rien n’a changé : la session attend toujours une décision.',
  },
} satisfies Catalogue;

/** The page before a session is adopted. */
export const ADOPTING = {
  preview: { EN: 'Look it up', FR: 'Consulter' },
  consequence: {
    EN: 'The worker looks up the id at the payment service. You see the result next to the original request. Nothing is decided yet, and no personal data is shown.',
    FR: 'Le worker demande au service de paiement ce qu’il a sous cet identifiant, et vous le voyez à côté de la demande. Rien n’est encore décidé et aucune donnée personnelle n’est affichée.',
  },
  adoptable: {
    heading: { EN: 'It can be adopted', FR: 'Elle peut être adoptée' },
    body: {
      EN: 'Also compare the creation time: another session may have the same reference and amount.',
      FR: 'Comparez aussi l’heure de sa création : une autre session peut avoir la même référence et le même montant.',
    },
  },
  refused: { EN: 'It cannot be adopted', FR: 'Elle ne peut pas être adoptée' },
  /** Shown if the session could not be looked up. */
  unanswered: { EN: 'The lookup failed', FR: 'La consultation n’a pas abouti' },
  compared: {
    EN: 'The request and what the payment service has',
    FR: 'La demande et ce que le service de paiement a',
  },
  columns: {
    field: { EN: 'Field', FR: 'Champ' },
    asked: { EN: 'Requested', FR: 'Demandé' },
    found: { EN: 'Payment service', FR: 'Service de paiement' },
    comparison: { EN: 'Comparison', FR: 'Comparaison' },
  },
  status: WORDS.status,
  created: { EN: 'Started / created', FR: 'Début / création' },
  notSaid: { EN: 'Not given', FR: 'Non indiqué' },
  unreadableCode: WORDS.unreadableCode,
  agrees: { EN: 'Matches', FR: 'Concorde' },
  differs: { EN: 'Differs', FR: 'Diffère' },
  /** A difference that is allowed, for instance in an amount that the payor may change. */
  differsAllowed: { EN: 'Differs (allowed)', FR: 'Diffère (permis)' },
  /** A value that the payment service does not report. */
  notCompared: { EN: 'Not compared', FR: 'Non comparé' },
  /** An EFT that may or may not be guaranteed: its kind, and a caution. */
  maybeGuaranteed: { EN: 'EFT, guaranteed or not', FR: 'TEF, garanti ou non' },
  guaranteeUntold: {
    EN: 'The payment service does not say whether this EFT is guaranteed: adopt it only if you know.',
    FR: 'Le service de paiement ne dit pas si ce TEF est garanti : ne l’adoptez que si vous le savez.',
  },
  another: { EN: 'Look up another one', FR: 'En consulter une autre' },
} satisfies Catalogue;

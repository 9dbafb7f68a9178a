import { SESSION_CODES, type SessionCode } from '../../src/contract';
import type { Standing } from '../../src/protocol/state/standing';
import type { Message, Text } from '../../src/web/language';
import { searchableWords } from '../../src/protocol/temporal/visibility';

/** A session's standing, and its meaning. */
export const STANDINGS = {
  creating: {
    heading: { EN: 'Being created', FR: 'En création' },
    body: {
      EN: 'The session is being created at the payment service. The payor cannot pay yet.',
      FR: 'La session est en cours de création auprès du service de paiement. Personne ne peut encore payer.',
    },
  },
  parked: {
    heading: { EN: 'Waiting for a decision', FR: 'Décision attendue' },
    body: {
      EN: 'The response to the create request was lost or not believed, or a reset has removed the request from the workflow’s history, so the payment service may or may not have the session. Nothing happens until an operator decides.',
      FR: 'La réponse à la demande de création s’est perdue ou n’est pas crédible, ou une réinitialisation a effacé la demande de l’historique du workflow : le service de paiement a peut-être la session, peut-être pas. Rien ne se passe tant que personne ne décide.',
    },
  },
  open: {
    heading: { EN: 'Open', FR: 'Ouverte' },
    body: {
      EN: 'The payor can pay but has not done so yet.',
      FR: 'Le payeur peut payer et ne l’a pas encore fait.',
    },
  },
  unsigned: {
    heading: { EN: 'Signature missing', FR: 'Signature manquante' },
    body: {
      EN: 'The payor’s bank account is validated, but the pre-authorized debit (PAD) agreement is not signed yet. Nothing is paid.',
      FR: 'Le compte bancaire du payeur est validé, mais l’accord de débit préautorisé (DPA) n’est pas encore signé. La session n’est pas payée.',
    },
  },
  unclear: {
    heading: { EN: 'Completed, unclear', FR: 'Terminée, incertaine' },
    body: {
      EN: 'The payment service says that the session is completed, but not whether it is paid. Do not deliver.',
      FR: 'Le service de paiement dit que la session est terminée, mais pas si elle est payée. Ne livrez pas.',
    },
  },
  unknownStatus: {
    heading: { EN: 'Unknown status', FR: 'Statut inconnu' },
    body: {
      EN: 'The payment service reports a status that this version does not know. The session is still followed.',
      FR: 'Le service de paiement donne un statut que cette version ne connaît pas. La session reste suivie.',
    },
  },
  cancelling: {
    heading: { EN: 'Being cancelled', FR: 'En annulation' },
    body: {
      EN: 'A cancellation is on its way to the payment service, whose answer decides the outcome.',
      FR: 'Une annulation est en route vers le service de paiement, dont la réponse décide de la suite.',
    },
  },
  paid: {
    heading: { EN: 'Paid', FR: 'Payée' },
    body: {
      EN: 'The payor has done their part: the transaction is scheduled. A regular EFT can still be returned, for insufficient funds or a dispute; that is not shown here.',
      FR: 'Le payeur a fait sa part : la transaction est prévue. Un TEF ordinaire peut encore revenir, faute de provision ou par contestation; cela ne se voit pas ici.',
    },
  },
  returned: {
    heading: { EN: 'Money returned', FR: 'Argent retourné' },
    body: {
      EN: 'The session was paid, but its money has come back since: the payment does not stand.',
      FR: 'La session a été payée, mais l’argent est retourné depuis : le paiement ne tient plus.',
    },
  },
  endedUnsigned: {
    heading: { EN: 'Over, unsigned', FR: 'Finie, non signée' },
    body: {
      EN: 'The pre-authorized debit (PAD) agreement was not signed in time. Nothing was paid by then.',
      FR: 'L’accord de débit préautorisé (DPA) n’a pas été signé à temps. Rien n’était alors payé.',
    },
  },
  endedUnclear: {
    heading: { EN: 'Over, unclear', FR: 'Finie, incertaine' },
    body: {
      EN: 'The payment service said that the session is completed, but never whether it is paid. Look the payment up there before you deliver.',
      FR: 'Le service de paiement a dit que la session est terminée, sans jamais dire si elle est payée. Vérifiez-y le paiement avant de livrer.',
    },
  },
  endedUnverified: {
    heading: { EN: 'Over, unverified', FR: 'Finie, non vérifiée' },
    body: {
      EN: 'After the session’s deadline, polls failed for a long time, so the session ended. It may have been paid: check there before you deliver or release.',
      FR: 'Après l’échéance de la session, le service de paiement n’a longtemps pas pu être consulté. La session s’est donc terminée. Elle est peut-être payée : vérifiez-le là-bas avant de livrer ou de libérer.',
    },
  },
  failed: {
    heading: { EN: 'Failed', FR: 'Échouée' },
    body: {
      EN: 'The payment service reports that the payment failed. The session is not paid.',
      FR: 'Le service de paiement signale que le paiement a échoué. La session n’est pas payée.',
    },
  },
  cancelled: {
    heading: { EN: 'Cancelled', FR: 'Annulée' },
    body: {
      EN: 'The session is cancelled. It is not paid, and can no longer be paid.',
      FR: 'La session est annulée. Elle n’est pas payée et personne ne peut plus payer.',
    },
  },
  expired: {
    heading: { EN: 'Expired', FR: 'Expirée' },
    body: {
      EN: 'The payor did not finish in time. The session is not paid.',
      FR: 'Le payeur n’a pas fini à temps. La session n’est pas payée.',
    },
  },
  neverOpened: {
    heading: { EN: 'Ended with an error', FR: 'Finie par une erreur' },
    body: {
      EN: 'The session ended with an error. As far as is known, it was not paid.',
      FR: 'La session a fini par une erreur. Pour autant qu’on le sache, elle n’est pas payée.',
    },
  },
  terminated: {
    heading: { EN: 'Terminated', FR: 'Arrêtée de l’extérieur' },
    body: {
      EN: 'The session’s workflow was terminated, or timed out. The payment is no longer followed: it may still be open at the payment service.',
      FR: 'Le workflow de la session a été arrêté de l’extérieur, ou son temps est écoulé. Le paiement n’est plus suivi : il est peut-être encore ouvert auprès du service de paiement.',
    },
  },
  over: {
    heading: { EN: 'Over', FR: 'Finie' },
    body: {
      EN: 'The session is over. It is not known to be paid.',
      FR: 'La session est finie. Rien n’indique qu’elle soit payée.',
    },
  },
  unknown: {
    heading: { EN: 'Unknown', FR: 'Inconnu' },
    body: {
      EN: 'The session’s status is not known at the moment.',
      FR: 'On ne sait pas en ce moment où en est la session.',
    },
  },
} satisfies Readonly<Record<Standing, Message>>;

const CODES_IN_FRENCH: Readonly<Record<SessionCode, string>> = {
  EFT0101: 'Session créée; le payeur n’a pas encore commencé.',
  EFT0301: 'Transaction planifiée; session entièrement terminée.',
  EFT0302: 'Compte bancaire validé; signature de l’accord de DPA attendue.',
  EFT0401: 'Échec de la connexion : identifiants refusés par l’institution financière.',
  EFT0403: 'Échec de l’identification : le payeur ne correspond pas au compte bancaire.',
  EFT0404: 'Solde disponible insuffisant.',
  EFT0501: 'Session annulée par un appel à l’API.',
  EFT0601: 'Session expirée : le payeur est resté inactif ou n’a pas terminé.',
};

/** The meanings of the payment service's codes. */
export const CODES = Object.fromEntries(
  Object.entries(CODES_IN_FRENCH).map(([code, FR]) => [
    code,
    { EN: SESSION_CODES[code as SessionCode].meaning, FR },
  ]),
) as Readonly<Record<SessionCode, Text>>;

/** Standings that name the payment service's status themselves. */
const STATUS_OF: Readonly<Partial<Record<Standing, string>>> = {
  failed: 'Failed',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

/** Returns the words to show next to a standing: the status unless the standing names it, its code, and the code of a failure. */
export function wordsBeside(
  standing: Standing,
  { status, code, failure }: { readonly status?: string; readonly code?: string; readonly failure?: string },
): string {
  const shownStatus = status === STATUS_OF[standing] ? undefined : status;
  return [...searchableWords(shownStatus, code), ...(failure === undefined ? [] : [failure])].join(' ');
}

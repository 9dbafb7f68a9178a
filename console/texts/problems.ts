import { PROBLEMS as ENGLISH, type SessionProblem } from '../../src/protocol/state/problems';
import type { Text } from '../../src/web/language';
import { withFrench, type Explained, type French } from './errors';

interface Row {
  /** The problem's name in lists and filters. */
  readonly name: Text;
  readonly meaning: French;
  readonly remedy: French;
}

const TABLE: Readonly<Record<SessionProblem, Row>> = {
  parked: {
    name: { EN: 'Waiting for a decision', FR: 'Attend une décision' },
    meaning:
      'La réponse à une demande de création s’est perdue ou n’est pas crédible, ou une réinitialisation a annulé la demande; la session attend une décision.',
    remedy: {
      EN: 'Look for the session in the payment service’s own records, by its reference, amount and time. Then decide.',
      FR: 'Cherchez la session dans les dossiers du service de paiement, par sa référence, son montant et son heure. Puis décidez.',
    },
  },
  serviceFailing: {
    name: { EN: 'Calls keep failing', FR: 'Appels en échec répété' },
    meaning: 'Au moins cinq appels de suite ont échoué ou ont été reportés. La session continue d’essayer.',
    remedy: {
      EN: 'Check the payment service and the account; the last failure is in the session’s timeline.',
      FR: 'Vérifiez le service de paiement et le compte; le dernier échec est dans la chronologie de la session.',
    },
  },
  possibleOrphan: {
    name: { EN: 'Possible orphan', FR: 'Doublon possible' },
    meaning: 'Une demande de création dont l’issue est inconnue a été renvoyée ou abandonnée.',
    remedy: {
      EN: 'Look for another session with the same reference at the payment service. If no other key follows it, cancel it there.',
      FR: 'Cherchez une autre session ayant la même référence auprès du service de paiement. Si aucune autre clé ne la suit, annulez-la là-bas.',
    },
  },
  sessionUnknown: {
    name: { EN: 'Unknown to the payment service', FR: 'Inconnue du service de paiement' },
    meaning: 'Le service de paiement a dit qu’il ne connaît pas la session.',
    remedy: 'Demandez au service de paiement ce que la session est devenue.',
  },
  wrongSession: {
    name: { EN: 'Answer for a different session', FR: 'Réponse sur une autre session' },
    meaning: 'Le service de paiement a renvoyé une autre session; la réponse a été ignorée.',
    remedy: 'Signalez-le au service de paiement.',
  },
  backwardStatus: {
    name: { EN: 'Status went backwards', FR: 'Retour en arrière du statut' },
    meaning: 'Le service de paiement a donné un statut qui reviendrait en arrière; il a été ignoré.',
    remedy: {
      EN: 'Compare the session’s timeline with the payment service’s own records.',
      FR: 'Comparez la chronologie de la session avec les dossiers du service de paiement.',
    },
  },
  unknownStatus: {
    name: { EN: 'Unknown status', FR: 'Statut inconnu' },
    meaning: 'Le service de paiement a donné un statut que cette version ne connaît pas.',
    remedy: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
  },
  unknownCode: {
    name: { EN: 'Unknown code', FR: 'Code inconnu' },
    meaning:
      'Le service de paiement a donné un code que cette version ne connaît pas, ou n’attend pas avec ce statut ou ce type de session.',
    remedy: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
  },
  unreadableCode: {
    name: { EN: 'Unreadable code', FR: 'Code illisible' },
    meaning: 'Le service de paiement a donné un code illisible, par exemple parce que ce n’est pas du texte.',
    remedy: 'Vérifiez le paiement auprès du service.',
  },
  missingCode: {
    name: { EN: 'Completed without a code', FR: 'Terminée sans code' },
    meaning:
      'Le service de paiement a dit « Completed » sans code : la session est peut-être payée, peut-être pas.',
    remedy: 'Vérifiez le paiement auprès du service avant de livrer.',
  },
  unverifiedEnd: {
    name: { EN: 'Ended without a final check', FR: 'Terminée sans dernière vérification' },
    meaning:
      'Après l’échéance de la session, le service de paiement n’a longtemps pas pu être consulté (une semaine par défaut). La session s’est donc terminée : elle est peut-être payée.',
    remedy: 'Vérifiez le paiement auprès du service avant de livrer ou de libérer.',
  },
  recordFull: {
    name: { EN: 'Record is full', FR: 'Dossier plein' },
    meaning: 'La session a plus d’états, d’anomalies ou de décisions qu’elle n’en garde.',
    remedy: 'Lisez le reste dans l’historique du workflow.',
  },
};

/** The problems of sessions. Where the command line's remedy names a command or a field, a page says what to check, or has a button. */
export const PROBLEMS = Object.fromEntries(
  Object.entries(TABLE).map(([problem, { name, ...row }]) => [
    problem,
    { name, ...withFrench(ENGLISH[problem as SessionProblem], row) },
  ]),
) as Readonly<Record<SessionProblem, Explained & Readonly<Record<'name', Text>>>>;

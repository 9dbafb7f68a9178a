import type { SessionProblem } from '../../../src/protocol/state/problems';
import type { Explained } from '../../errors/explained';

export const PROBLEMS_FR: Readonly<Record<SessionProblem, Explained>> = {
  parked: {
    meaning: 'La réponse à une création s’est perdue; la session attend une décision.',
    remedy:
      'Cherchez la session dans les dossiers du service de paiement, par sa référence, son montant et son heure. Puis décidez.',
  },
  serviceFailing: {
    meaning: 'Cinq appels de suite ont échoué ou ont été reportés; la session continue d’essayer.',
    remedy: 'Vérifiez le service de paiement et le compte; le dernier échec est dans la chronologie.',
  },
  possibleOrphan: {
    meaning: 'Une création dont l’issue est inconnue a été répétée ou abandonnée.',
    remedy:
      'Cherchez une autre session avec cette référence auprès du service de paiement, et annulez-la là-bas.',
  },
  sessionUnknown: {
    meaning: 'Le service de paiement a dit qu’il ne connaît pas la session.',
    remedy: 'Demandez au service de paiement ce que la session est devenue.',
  },
  wrongSession: {
    meaning: 'Le service de paiement a répondu au sujet d’une autre session; la réponse n’a pas été crue.',
    remedy: 'Signalez-le au service de paiement.',
  },
  backwardStatus: {
    meaning: 'Le service de paiement a donné un statut qui reviendrait en arrière; il a été ignoré.',
    remedy: 'Comparez la chronologie avec les dossiers du service de paiement.',
  },
  unknownStatus: {
    meaning: 'Le service de paiement a donné un statut que cette version ne connaît pas.',
    remedy: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
  },
  unknownCode: {
    meaning:
      'Le service de paiement a donné un code que cette version ne connaît pas, ou pas pour ce statut.',
    remedy: 'Vérifiez le paiement auprès du service, et mettez paysession à jour.',
  },
  unreadableCode: {
    meaning: 'Le service de paiement a donné un code qui n’est pas du texte.',
    remedy: 'Vérifiez le paiement auprès du service.',
  },
  missingCode: {
    meaning:
      'Le service de paiement a dit « Completed » sans code : la session est peut-être payée, peut-être pas.',
    remedy: 'Vérifiez le paiement auprès du service avant de livrer.',
  },
  unverifiedEnd: {
    meaning:
      'La session s’est terminée à son échéance, et personne n’a pu consulter le service de paiement après : elle est peut-être payée.',
    remedy: 'Vérifiez le paiement auprès du service avant de livrer ou de libérer.',
  },
  recordFull: {
    meaning: 'La session a plus d’états, d’anomalies ou de décisions qu’elle n’en garde.',
    remedy: 'Lisez le reste dans l’historique du workflow.',
  },
};

import type { Catalogue } from '../../web/texts';

/** What is shown before a session is adopted. */
export const ADOPTING = {
  preview: { EN: 'Look it up', FR: 'Consulter' },
  consequence: {
    EN: 'The worker looks up this id at the payment service and shows you the result beside the original request. Nothing is decided yet, and no personal data is shown.',
    FR: 'Le worker demande au service de paiement ce qu’il a sous cet identifiant, et vous le voyez à côté de la demande. Rien n’est encore décidé et aucune donnée personnelle n’est affichée.',
  },
  adoptable: {
    heading: { EN: 'It can be adopted', FR: 'Elle peut être adoptée' },
    body: {
      EN: 'Also compare the creation time: another session may have the same reference and amount.',
      FR: 'Comparez aussi l’heure de sa création : une autre session peut avoir la même référence et le même montant.',
    },
  },
  refused: { EN: 'It cannot be adopted', FR: 'Elle ne peut pas être adoptée' },
  /** Where neither the session nor the payment service could be asked. */
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
  direction: { EN: 'Direction', FR: 'Sens' },
  status: { EN: 'Status', FR: 'Statut' },
  created: { EN: 'Started / created', FR: 'Début / création' },
  notSaid: { EN: 'Not given', FR: 'Non indiqué' },
  unreadableCode: { EN: 'with a code that is not text', FR: 'avec un code qui n’est pas du texte' },
  agrees: { EN: 'Matches', FR: 'Concorde' },
  differs: { EN: 'Differs', FR: 'Diffère' },
  /** The payor may change an amount, for instance. */
  differsAllowed: { EN: 'Differs (allowed)', FR: 'Diffère (permis)' },
  /** Where the payment service does not tell. */
  notCompared: { EN: 'Not compared', FR: 'Non comparé' },
  /** An EFT of which the payment service does not tell whether it is guaranteed: as its kind, and as a caution. */
  maybeGuaranteed: { EN: 'EFT, guaranteed or not', FR: 'TEF, garanti ou non' },
  guaranteeUntold: {
    EN: 'The payment service does not say whether this EFT is guaranteed: adopt it only if you know.',
    FR: 'Le service de paiement ne dit pas si ce TEF est garanti : ne l’adoptez que si vous le savez.',
  },
  another: { EN: 'Look up another one', FR: 'En consulter une autre' },
} satisfies Catalogue;

/** The words of the look before adopting a session. */
import type { Language } from '../../../web/language';

export interface LookTexts {
  /** On the button that looks. */
  readonly lookUp: string;
  /** What the look does. */
  readonly consequence: string;
  readonly adoptable: { readonly heading: string; readonly body: string };
  readonly refused: string;
  /** Where neither the session nor the payment service could be asked. */
  readonly unanswered: string;
  readonly compared: string;
  readonly columns: readonly [string, string, string, string];
  readonly direction: string;
  readonly status: string;
  readonly created: string;
  readonly notSaid: string;
  readonly unreadableCode: string;
  readonly agrees: string;
  readonly differs: string;
  /** The payor may change an amount, for instance. */
  readonly differsAllowed: string;
  /** Where the payment service does not tell. */
  readonly notCompared: string;
  /** An EFT of which the payment service does not tell whether it is guaranteed: as its kind, and as a caution. */
  readonly maybeGuaranteed: string;
  readonly guaranteeUntold: string;
  readonly another: string;
}

const EN: LookTexts = {
  lookUp: 'Look it up',
  consequence:
    'The worker asks the payment service what it has under this id, and you see it beside what was asked for. Nothing is decided yet, and no personal data is shown.',
  adoptable: {
    heading: 'It can be adopted',
    body: 'Compare the time of its creation, too: another session may have the same reference and amount.',
  },
  refused: 'It cannot be adopted',
  unanswered: 'The look was in vain',
  compared: 'What was asked for, and what the payment service has',
  columns: ['Field', 'Asked for', 'Payment service', 'Comparison'],
  direction: 'Direction',
  status: 'Status',
  created: 'Started, created',
  notSaid: 'Not said',
  unreadableCode: 'with a code that is not text',
  agrees: 'Agrees',
  differs: 'Differs',
  differsAllowed: 'Differs, which is allowed',
  notCompared: 'Not compared',
  maybeGuaranteed: 'EFT, guaranteed or not',
  guaranteeUntold:
    'The payment service does not say whether this EFT is guaranteed: adopt it only if you know.',
  another: 'Look up another one',
};

const FR: LookTexts = {
  lookUp: 'Consulter',
  consequence:
    'Le worker demande au service de paiement ce qu’il a sous cet identifiant, et vous le voyez à côté de ce qui a été demandé. Rien n’est encore décidé et aucune donnée personnelle n’est affichée.',
  adoptable: {
    heading: 'Elle peut être adoptée',
    body: 'Comparez aussi l’heure de sa création : une autre session peut avoir la même référence et le même montant.',
  },
  refused: 'Elle ne peut pas être adoptée',
  unanswered: 'La consultation n’a pas abouti',
  compared: 'Ce qui a été demandé et ce que le service de paiement a',
  columns: ['Champ', 'Demandé', 'Service de paiement', 'Comparaison'],
  direction: 'Sens',
  status: 'Statut',
  created: 'Début, création',
  notSaid: 'Non indiqué',
  unreadableCode: 'avec un code qui n’est pas du texte',
  agrees: 'Concorde',
  differs: 'Diffère',
  differsAllowed: 'Diffère, ce qui est permis',
  notCompared: 'Non comparé',
  maybeGuaranteed: 'TEF, garanti ou non',
  guaranteeUntold:
    'Le service de paiement ne dit pas si ce TEF est garanti : ne l’adoptez que si vous le savez.',
  another: 'En consulter une autre',
};

export const lookTexts = (language: Language): LookTexts => (language === 'FR' ? FR : EN);

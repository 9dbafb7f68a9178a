import type { Catalogue, Text } from '../../src/web/language';

/** Words that several pages use. */
export const WORDS = {
  account: { EN: 'Account', FR: 'Compte' },
  amount: { EN: 'Amount', FR: 'Montant' },
  arrived: { EN: 'Arrived', FR: 'Arrivé' },
  cameBack: { EN: 'Came back', FR: 'Retourné' },
  customer: { EN: 'Customer', FR: 'Client' },
  day: { EN: 'Day', FR: 'Jour' },
  direction: { EN: 'Direction', FR: 'Sens' },
  ended: { EN: 'Ended', FR: 'Fin' },
  find: { EN: 'Find', FR: 'Trouver' },
  firstPage: { EN: 'Back to the first page', FR: 'Retour à la première page' },
  key: { EN: 'Key', FR: 'Clé' },
  kind: { EN: 'Kind', FR: 'Type' },
  money: { EN: 'Money', FR: 'Argent' },
  reference: { EN: 'Reference', FR: 'Référence' },
  started: { EN: 'Started', FR: 'Début' },
  state: { EN: 'State', FR: 'État' },
  status: { EN: 'Status', FR: 'Statut' },
  unreadableCode: { EN: 'with a code that cannot be read', FR: 'avec un code illisible' },
} satisfies Catalogue;

/** The words of the form that filters a list. */
export const FILTERS = {
  title: { EN: 'Filters', FR: 'Filtres' },
  any: { EN: 'Any', FR: 'Peu importe' },
  account: WORDS.account,
  customer: WORDS.customer,
  button: { EN: 'Show', FR: 'Afficher' },
  clear: { EN: 'Clear the filters', FR: 'Effacer les filtres' },
} satisfies Catalogue;

/**
 * Returns the texts for a formatted count, which replaces `#`. Each language has a form for one, and a form for several. In French, zero
 * takes the form for one.
 */
export function counted({
  EN,
  FR,
}: Text<readonly [one: string, several: string]>): Text<(count: string) => string> {
  return {
    EN: (count) => EN[count === '1' ? 0 : 1].replace('#', count),
    FR: (count) => FR[count === '0' || count === '1' ? 0 : 1].replace('#', count),
  };
}

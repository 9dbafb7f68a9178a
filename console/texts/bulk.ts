import type { Catalogue } from '../../web/texts';

/** Acts on all sessions of a filtered list. */
export const BULK = {
  /** On the list, before the buttons. */
  offer: { EN: 'All that match:', FR: 'Toutes celles qui correspondent\u00a0:' },
  acts: {
    cancel: {
      name: { EN: 'Cancel all…', FR: 'Tout annuler…' },
      question: { EN: 'Cancel these sessions?', FR: 'Annuler ces sessions?' },
    },
    refresh: {
      name: { EN: 'Refresh all…', FR: 'Tout vérifier…' },
      question: {
        EN: 'Poll the payment service for these sessions now?',
        FR: 'Interroger maintenant le service de paiement sur ces sessions?',
      },
    },
    abandon: {
      name: { EN: 'Abandon all…', FR: 'Tout abandonner…' },
      question: { EN: 'Abandon these sessions?', FR: 'Abandonner ces sessions?' },
    },
  },
  confirm: {
    cancel: {
      EN: (count: string) => (count === '1' ? 'Cancel 1 session' : `Cancel ${count} sessions`),
      FR: (count: string) => (count === '1' ? 'Annuler 1 session' : `Annuler ${count} sessions`),
    },
    refresh: {
      EN: (count: string) => (count === '1' ? 'Poll for 1 session' : `Poll for ${count} sessions`),
      FR: (count: string) => (count === '1' ? 'Vérifier 1 session' : `Vérifier ${count} sessions`),
    },
    abandon: {
      EN: (count: string) => (count === '1' ? 'Abandon 1 session' : `Abandon ${count} sessions`),
      FR: (count: string) => (count === '1' ? 'Abandonner 1 session' : `Abandonner ${count} sessions`),
    },
  },
  which: { EN: 'These sessions, and no others', FR: 'Ces sessions, et aucune autre' },
  left: {
    EN: (count: string) =>
      count === '1'
        ? '1 session of the list is left out: there is nothing to do this to.'
        : `${count} sessions of the list are left out: there is nothing to do this to.`,
    FR: (count: string) =>
      count === '1'
        ? '1 session de la liste est laissée de côté : il n’y a rien à y faire.'
        : `${count} sessions de la liste sont laissées de côté : il n’y a rien à y faire.`,
  },
  more: { EN: 'The list goes on: show those that follow', FR: 'La liste continue : afficher les suivantes' },
  none: {
    heading: { EN: 'Nothing to do this to', FR: 'Rien à faire ici' },
    body: {
      EN: 'No session of this part of the list is in a state in which this can be done.',
      FR: 'Aucune session de cette partie de la liste n’est dans un état qui le permet.',
    },
  },
  results: {
    title: { EN: 'What became of each', FR: 'Ce qu’il est advenu de chacune' },
    result: { EN: 'Result', FR: 'Résultat' },
    back: { EN: 'All sessions', FR: 'Toutes les sessions' },
    gone: {
      heading: { EN: 'This list is no longer at hand', FR: 'Cette liste n’est plus disponible' },
      body: {
        EN: 'The record of each session says what was done to it, by whom and why.',
        FR: 'Le dossier de chaque session dit ce qui y a été fait, par qui et pourquoi.',
      },
    },
  },
} satisfies Catalogue;

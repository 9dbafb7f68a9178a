import { languagesOf, type Catalogue } from '../language';

const SHELL = {
  skip: { EN: 'Skip to content', FR: 'Aller au contenu' },
  pages: { EN: 'Pages', FR: 'Pages' },
  /** The name of the language in that language. */
  ownName: { EN: 'English', FR: 'Français' },
  logOut: { EN: 'Log out', FR: 'Se déconnecter' },
  roles: {
    viewer: { EN: 'viewer', FR: 'lecture seule' },
    operator: { EN: 'operator', FR: 'opérateur' },
  },
  yourTime: { EN: 'your time', FR: 'heure locale' },
  /** The script replaces `{time}` by the time at which the connection was lost. */
  connectionLost: {
    EN: 'Connection lost at {time}; trying again',
    FR: 'Connexion perdue à {time}; nouvelle tentative en cours',
  },
  loginEnded: { EN: 'Your login has ended.', FR: 'Votre session de connexion est terminée.' },
  logInAgain: { EN: 'Log in again', FR: 'Se reconnecter' },
  temporalLost: {
    EN: 'The Temporal server has not answered since {time}. What is shown may be out of date. The page recovers automatically.',
    FR: 'Le serveur Temporal ne répond plus depuis {time}. Les données affichées peuvent dater; la page se rétablit d’elle-même.',
  },
  workerLost: {
    EN: 'No worker has answered since {time}. Sessions wait until one is back. The page recovers automatically.',
    FR: 'Aucun worker ne répond depuis {time}. Les sessions attendent son retour; la page se rétablit d’elle-même.',
  },
  copy: { EN: 'Copy', FR: 'Copier' },
  copyThis: { EN: (what: string) => `Copy: ${what}`, FR: (what: string) => `Copier : ${what}` },
  copied: { EN: 'Copied', FR: 'Copié' },
  notCopied: {
    EN: 'Your browser does not let this page copy. Select the text and copy it yourself.',
    FR: 'Votre navigateur ne laisse pas cette page copier. Sélectionnez le texte et copiez-le vous-même.',
  },
  keys: {
    title: { EN: 'Shortcuts', FR: 'Raccourcis' },
    search: { EN: 'Go to search', FR: 'Vers la recherche' },
    next: { EN: 'Next row', FR: 'Ligne suivante' },
    previous: { EN: 'Previous row', FR: 'Ligne précédente' },
    list: { EN: 'This list', FR: 'Cette liste' },
    isOn: { EN: 'Use these shortcuts', FR: 'Utiliser ces raccourcis' },
    close: { EN: 'Close', FR: 'Fermer' },
  },
  morePages: { EN: 'More pages', FR: 'Autres pages' },
  next: { EN: 'Next', FR: 'Suivant' },
} satisfies Catalogue;

/** Returns the texts that all pages share, in one language. */
export const shellTexts = languagesOf(SHELL);

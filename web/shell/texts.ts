import type { Language } from '../language';

/** The words of the shell around all pages. */
export interface ShellTexts {
  readonly skip: string;
  readonly pages: string;
  /** The language's own name, for those who want to read it. */
  readonly ownName: string;
  readonly logOut: string;
  readonly roles: Readonly<Record<'viewer' | 'operator', string>>;
  readonly yourTime: string;
  /** `{time}` is when it was noticed. */
  readonly connectionLost: string;
  readonly loginEnded: string;
  readonly logInAgain: string;
  readonly engineLost: string;
  readonly workerLost: string;
  readonly morePages: string;
  readonly previous: string;
  readonly next: string;
}

const EN: ShellTexts = {
  skip: 'Skip to the content',
  pages: 'Pages',
  ownName: 'English',
  logOut: 'Log out',
  roles: { viewer: 'viewer', operator: 'operator' },
  yourTime: 'your time',
  connectionLost: 'Connection lost at {time}; trying again',
  loginEnded: 'Your login has ended.',
  logInAgain: 'Log in again',
  engineLost:
    'The Temporal server has not answered since {time}. What is shown may be out of date. The page recovers automatically.',
  workerLost:
    'No worker has answered since {time}. Sessions wait until one is back. The page recovers automatically.',
  morePages: 'More of the list',
  previous: 'Previous',
  next: 'Next',
};

const FR: ShellTexts = {
  skip: 'Aller au contenu',
  pages: 'Pages',
  ownName: 'Français',
  logOut: 'Se déconnecter',
  roles: { viewer: 'lecture seule', operator: 'opérateur' },
  yourTime: 'heure locale',
  connectionLost: 'Connexion perdue à {time}; nouvelle tentative en cours',
  loginEnded: 'Votre session de connexion est terminée.',
  logInAgain: 'Se reconnecter',
  engineLost:
    'Le serveur Temporal ne répond plus depuis {time}. Les données affichées peuvent dater; la page se rétablit d’elle-même.',
  workerLost:
    'Aucun worker ne répond depuis {time}. Les sessions attendent son retour; la page se rétablit d’elle-même.',
  morePages: 'Suite de la liste',
  previous: 'Précédent',
  next: 'Suivant',
};

const TEXTS: Readonly<Record<Language, ShellTexts>> = { EN, FR };

export const shellTexts = (language: Language): ShellTexts => TEXTS[language];

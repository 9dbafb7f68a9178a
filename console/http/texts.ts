import type { Language } from '../../web/language';
import type { RefusalReason } from './refusal';

interface Said {
  readonly title: string;
  readonly message: string;
}

interface Texts {
  readonly refusals: Readonly<Record<RefusalReason, Said>>;
  /** Titles of the errors that pages are expected to meet. */
  readonly engineUnavailable: string;
  readonly workerUnavailable: string;
  readonly sessionNotFound: string;
  readonly otherError: string;
  readonly mends: string;
  readonly logIn: string;
  readonly loggedOut: string;
}

const EN: Texts = {
  refusals: {
    unreadable: { title: 'Unreadable request', message: 'The request cannot be read.' },
    loginNeeded: {
      title: 'Log in again',
      message:
        'Your login has expired, or you have logged out. Nothing was done. Log in and send the form again.',
    },
    loginFailed: {
      title: 'Login failed',
      message: 'The login was not completed, or took too long. Try again.',
    },
    notThroughProxy: {
      title: 'Use the proxy',
      message: 'This console can only be reached through its proxy, which says who you are.',
    },
    throughProxy: {
      title: 'Not through a proxy',
      message:
        'This console has no login, so it refuses requests that come through a proxy. Whoever runs it must configure a login (PAYSESSION_CONSOLE_OIDC_*) or trust the proxy’s user names (PAYSESSION_CONSOLE_PROXY_*).',
    },
    noUser: {
      title: 'No user name received',
      message: 'The proxy forwarded the request without saying who you are.',
    },
    noRole: {
      title: 'No role',
      message:
        'You are logged in, but have neither the viewer nor the operator role. Ask whoever runs this console.',
    },
    viewer: {
      title: 'Operators only',
      message: 'You can view this, but not act on it. Nothing was done.',
    },
    otherSite: {
      title: 'From another site',
      message: 'Another site’s page made this request. Follow a link to the console, or type its address.',
    },
    otherOrigin: {
      title: 'From another page',
      message: 'The form was not sent from this console. Nothing was done.',
    },
    staleForm: {
      title: 'Form out of date',
      message:
        'The form belongs to an earlier login. Nothing was done. Reload the page and submit the form from there.',
    },
    notFound: { title: 'Not found', message: 'There is no such page.' },
    wrongMethod: { title: 'Wrong method', message: 'This address does not support that method.' },
    sentBefore: {
      title: 'Already submitted',
      message: 'This form was already submitted, and was not acted on again. The session shows the result.',
    },
    tooLarge: { title: 'Too large', message: 'The form is too large. Nothing was done.' },
    tooManyLogins: {
      title: 'Too many logins',
      message: 'There were too many logins from your address. Wait a minute.',
    },
    tooManyLooks: {
      title: 'Too many pages',
      message: 'You have too many live pages open. Close some of them.',
    },
    crowded: {
      title: 'Too many readers',
      message: 'Too many people are using this console at once. Reload the page to see changes.',
    },
    failed: {
      title: 'The console failed',
      message: 'Something went wrong. See the console’s log for details.',
    },
    providerUnavailable: {
      title: 'Login unavailable',
      message: 'The identity provider does not answer, or answers incorrectly. Try again in a moment.',
    },
  },
  engineUnavailable: 'The Temporal server does not answer',
  workerUnavailable: 'No worker answers',
  sessionNotFound: 'No such session',
  otherError: 'Something went wrong',
  mends: 'This page retries automatically.',
  logIn: 'Log in',
  loggedOut: 'You are logged out',
};

const FR: Texts = {
  refusals: {
    unreadable: { title: 'Requête illisible', message: 'La requête ne peut pas être lue.' },
    loginNeeded: {
      title: 'Connectez-vous de nouveau',
      message:
        'Votre connexion a expiré ou vous vous êtes déconnecté. Rien n’a été fait. Connectez-vous et envoyez de nouveau le formulaire.',
    },
    loginFailed: {
      title: 'Échec de la connexion',
      message: 'La connexion n’a pas abouti ou a pris trop de temps. Réessayez.',
    },
    notThroughProxy: {
      title: 'Accès non autorisé',
      message: 'Cette console n’est accessible que par son serveur mandataire, qui dit qui vous êtes.',
    },
    throughProxy: {
      title: 'Pas par un serveur mandataire',
      message:
        'Cette console est sans connexion et n’accepte donc aucune requête passée par un serveur mandataire. Ses responsables définissent qui peut l’utiliser : par une connexion (PAYSESSION_CONSOLE_OIDC_*) ou par ce que dit le mandataire (PAYSESSION_CONSOLE_PROXY_*).',
    },
    noUser: {
      title: 'Aucun nom',
      message: 'Le serveur mandataire a transmis la requête sans dire qui vous êtes.',
    },
    noRole: {
      title: 'Aucun rôle',
      message:
        'Vous êtes connu, mais vous n’avez ni le rôle de lecteur ni celui d’opérateur. Adressez-vous aux responsables de cette console.',
    },
    viewer: {
      title: 'Réservé aux opérateurs',
      message: 'Vous pouvez consulter, mais pas agir. Rien n’a été fait.',
    },
    otherSite: {
      title: 'Demande d’un autre site',
      message:
        'Une page d’un autre site a demandé ceci. Suivez un lien vers la console ou tapez son adresse.',
    },
    otherOrigin: {
      title: 'Provenance inconnue',
      message: 'Le formulaire ne vient pas de cette console. Rien n’a été fait.',
    },
    staleForm: {
      title: 'Formulaire périmé',
      message:
        'Le formulaire appartient à une autre connexion. Rien n’a été fait. Rechargez la page et envoyez le formulaire de là.',
    },
    notFound: { title: 'Page introuvable', message: 'Cette page n’existe pas.' },
    wrongMethod: { title: 'Méthode refusée', message: 'Cette adresse ne peut pas être appelée ainsi.' },
    sentBefore: {
      title: 'Déjà envoyé',
      message:
        'Ce formulaire a déjà été envoyé, et rien n’a été fait de nouveau. Consultez la session pour voir ce qu’il en est.',
    },
    tooLarge: { title: 'Trop volumineux', message: 'Le formulaire est trop volumineux. Rien n’a été fait.' },
    tooManyLogins: {
      title: 'Trop de connexions',
      message: 'Trop de connexions sont venues de votre adresse. Attendez une minute.',
    },
    tooManyLooks: {
      title: 'Trop de pages',
      message: 'Vous regardez trop de pages en direct à la fois. Fermez-en quelques-unes.',
    },
    crowded: {
      title: 'Trop de lecteurs',
      message:
        'Trop de personnes regardent cette console à la fois. Rechargez la page pour voir les changements.',
    },
    failed: {
      title: 'La console a échoué',
      message: 'Une erreur inattendue s’est produite. Le journal de la console en dit plus.',
    },
    providerUnavailable: {
      title: 'Connexion impossible',
      message:
        'Le fournisseur d’identité ne répond pas, ou pas comme il le devrait. Réessayez dans un instant.',
    },
  },
  engineUnavailable: 'Le serveur Temporal ne répond pas',
  workerUnavailable: 'Aucun worker ne répond',
  sessionNotFound: 'Session introuvable',
  otherError: 'Cela n’a pas fonctionné',
  mends: 'Cette page réessaie d’elle-même.',
  logIn: 'Se connecter',
  loggedOut: 'Vous vous êtes déconnecté',
};

export const TEXTS: Readonly<Record<Language, Texts>> = { EN, FR };

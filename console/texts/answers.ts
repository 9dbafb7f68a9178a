import type { Catalogue, Message } from '../../src/web/language';

/** Two values that should be equal: the identity provider's, and the expected one. */
export interface Differing {
  readonly name: string;
  readonly there: string;
  readonly here: string;
  /** The setting of the expected value, or this machine's clock. */
  readonly from: string;
}

/** The source of a time that is not the provider's. */
export const CLOCK = 'clock';

/** Pages for refusals and errors. */
export const ANSWERS = {
  refusals: {
    unreadable: {
      heading: { EN: 'Unreadable request', FR: 'Requête illisible' },
      body: { EN: 'The request cannot be read.', FR: 'La requête ne peut pas être lue.' },
    },
    loginNeeded: {
      heading: { EN: 'Log in again', FR: 'Connectez-vous de nouveau' },
      body: {
        EN: 'Your login has expired, or you have logged out. Nothing was done. Log in and send the form again.',
        FR: 'Votre connexion a expiré ou vous vous êtes déconnecté. Rien n’a été fait. Connectez-vous et envoyez de nouveau le formulaire.',
      },
    },
    loginFailed: {
      heading: { EN: 'Login failed', FR: 'Échec de la connexion' },
      body: {
        EN: 'The login was not completed, or took too long. Try again.',
        FR: 'La connexion n’a pas abouti ou a pris trop de temps. Réessayez.',
      },
    },
    notThroughProxy: {
      heading: { EN: 'Use the proxy', FR: 'Accès non autorisé' },
      body: {
        EN: 'This console can only be reached through its proxy, which says who you are.',
        FR: 'Cette console n’est accessible que par son serveur mandataire, qui dit qui vous êtes.',
      },
    },
    throughProxy: {
      heading: { EN: 'Proxy not configured', FR: 'Serveur mandataire non configuré' },
      body: {
        EN: 'This console has no login, so it refuses requests that come through a proxy. Its administrator must configure a login (PAYSESSION_CONSOLE_OIDC_*) or trust the proxy’s user names (PAYSESSION_CONSOLE_PROXY_*).',
        FR: 'Cette console est sans connexion et n’accepte donc aucune requête passée par un serveur mandataire. Ses responsables définissent qui peut l’utiliser : par une connexion (PAYSESSION_CONSOLE_OIDC_*) ou par ce que dit le mandataire (PAYSESSION_CONSOLE_PROXY_*).',
      },
    },
    noUser: {
      heading: { EN: 'No user name received', FR: 'Aucun nom' },
      body: {
        EN: 'The proxy forwarded the request without saying who you are.',
        FR: 'Le serveur mandataire a transmis la requête sans dire qui vous êtes.',
      },
    },
    noRole: {
      heading: { EN: 'No access', FR: 'Accès refusé' },
      body: {
        EN: 'You are logged in, but have neither the viewer nor the operator role. Ask the administrator of this console.',
        FR: 'Vous êtes connu, mais vous n’avez ni le rôle de lecteur ni celui d’opérateur. Adressez-vous aux responsables de cette console.',
      },
    },
    noName: {
      heading: { EN: 'No name in your login', FR: 'Connexion sans nom' },
      body: {
        EN: 'You have a role here, but your login has no name to record your decisions with. Ask the administrator of this console to check PAYSESSION_CONSOLE_NAME_CLAIM.',
        FR: 'Vous avez un rôle ici, mais votre connexion ne donne aucun nom pour signer vos décisions. Demandez aux responsables de cette console de vérifier PAYSESSION_CONSOLE_NAME_CLAIM.',
      },
    },
    viewer: {
      heading: { EN: 'Operators only', FR: 'Réservé aux opérateurs' },
      body: {
        EN: 'You can view the console, but this needs the operator role. Nothing was done.',
        FR: 'Vous pouvez consulter la console, mais ceci demande le rôle d’opérateur. Rien n’a été fait.',
      },
    },
    otherSite: {
      heading: { EN: 'Request from another site', FR: 'Demande d’un autre site' },
      body: {
        EN: 'Another site’s page made this request. Follow a link to the console, or type its address.',
        FR: 'Une page d’un autre site a demandé ceci. Suivez un lien vers la console ou tapez son adresse.',
      },
    },
    otherOrigin: {
      heading: { EN: 'Form from elsewhere', FR: 'Provenance inconnue' },
      body: {
        EN: 'The form was not sent from this console. Nothing was done.',
        FR: 'Le formulaire ne vient pas de cette console. Rien n’a été fait.',
      },
    },
    staleForm: {
      heading: { EN: 'Form out of date', FR: 'Formulaire périmé' },
      body: {
        EN: 'The form belongs to an earlier login, or the console was restarted. Nothing was done. Reload the page and submit the form from there.',
        FR: 'Le formulaire appartient à une autre connexion, ou la console a redémarré. Rien n’a été fait. Rechargez la page et envoyez le formulaire de là.',
      },
    },
    incompleteForm: {
      heading: { EN: 'Form incomplete', FR: 'Formulaire incomplet' },
      body: {
        EN: 'The form is incomplete. Nothing was done. Reload the page and submit the form from there.',
        FR: 'Le formulaire est incomplet. Rien n’a été fait. Rechargez la page et envoyez le formulaire de là.',
      },
    },
    otherEnvironment: {
      heading: { EN: 'Another environment', FR: 'Autre environnement' },
      body: {
        EN: 'No worker records in this console’s environment, although workers record in another. Nothing was recorded. Set PAYSESSION_LEDGER_ENVIRONMENT of the console to the workers’ value.',
        FR: 'Aucun worker n’enregistre dans l’environnement de cette console, alors que des workers enregistrent dans un autre. Rien n’a été enregistré. Donnez à PAYSESSION_LEDGER_ENVIRONMENT de la console la valeur des workers.',
      },
    },
    notPreviewed: {
      heading: { EN: 'Not the sessions of the preview', FR: 'Sessions non affichées' },
      body: {
        EN: 'The form names sessions that the page did not show you. Nothing was done. Open the list again and submit the form from there.',
        FR: 'Le formulaire nomme des sessions que la page ne vous a pas montrées. Rien n’a été fait. Ouvrez de nouveau la liste et envoyez le formulaire de là.',
      },
    },
    unknownHost: {
      heading: { EN: 'Unknown host name', FR: 'Nom d’hôte inconnu' },
      body: {
        EN: 'This console does not serve this host name. Use 127.0.0.1 or the console’s public URL.',
        FR: 'Cette console ne répond pas sous ce nom d’hôte. Utilisez 127.0.0.1 ou l’URL publique de la console.',
      },
    },
    notFound: {
      heading: { EN: 'Not found', FR: 'Page introuvable' },
      body: { EN: 'There is no such page.', FR: 'Cette page n’existe pas.' },
    },
    wrongMethod: {
      heading: { EN: 'Wrong method', FR: 'Méthode refusée' },
      body: {
        EN: 'This page does not support that method.',
        FR: 'Cette page ne peut pas être demandée ainsi.',
      },
    },
    sentBefore: {
      heading: { EN: 'Already submitted', FR: 'Déjà envoyé' },
      body: {
        EN: 'This form was already submitted, and was not acted on again. The session or the list shows the result.',
        FR: 'Ce formulaire a déjà été envoyé, et rien n’a été fait de nouveau. Consultez la session ou la liste pour voir ce qu’il en est.',
      },
    },
    tooLarge: {
      heading: { EN: 'Too large', FR: 'Trop volumineux' },
      body: {
        EN: 'The form is too large. Nothing was done.',
        FR: 'Le formulaire est trop volumineux. Rien n’a été fait.',
      },
    },
    fileTooLarge: {
      heading: { EN: 'The file is too large', FR: 'Le fichier est trop volumineux' },
      body: {
        EN: 'This page takes files of at most 4 MB. Nothing was done. Reconcile larger files with the command line: paysession reconcile.',
        FR: 'Cette page accepte des fichiers de 4 Mo au plus. Rien n’a été fait. Passez les fichiers plus gros en ligne de commande : paysession reconcile.',
      },
    },
    tooManyLogins: {
      heading: { EN: 'Too many logins', FR: 'Trop de connexions' },
      body: {
        EN: 'There were too many login attempts from your address. Wait a minute.',
        FR: 'Trop de connexions sont venues de votre adresse. Attendez une minute.',
      },
    },
    tooManyLooks: {
      heading: { EN: 'Too many pages', FR: 'Trop de pages' },
      body: {
        EN: 'You have too many live pages open. Close some of them.',
        FR: 'Vous regardez trop de pages en direct à la fois. Fermez-en quelques-unes.',
      },
    },
    crowded: {
      heading: { EN: 'Too many viewers', FR: 'Trop de lecteurs' },
      body: {
        EN: 'Too many people are using this console at once. Reload the page to see changes.',
        FR: 'Trop de personnes regardent cette console à la fois. Rechargez la page pour voir les changements.',
      },
    },
    failed: {
      heading: { EN: 'The console failed', FR: 'La console a échoué' },
      body: {
        EN: 'Something went wrong. See the console’s log for details.',
        FR: 'Une erreur inattendue s’est produite. Le journal de la console en dit plus.',
      },
    },
    providerUnavailable: {
      heading: { EN: 'Login unavailable', FR: 'Connexion impossible' },
      body: {
        EN: 'The identity provider does not answer, or answers incorrectly. Try again in a moment.',
        FR: 'Le fournisseur d’identité ne répond pas, ou pas comme il le devrait. Réessayez dans un instant.',
      },
    },
  } satisfies Readonly<Record<string, Message>>,
  /** Explains why an identity provider is not trusted. */
  differing: {
    EN: ({ name, there, here, from }: Differing): string =>
      `${name}: "${there}" at the identity provider, "${here}" here (${from === CLOCK ? 'the clock of this machine' : from})`,
    FR: ({ name, there, here, from }: Differing): string =>
      `${name} : « ${there} » chez le fournisseur d’identité, « ${here} » ici (${from === CLOCK ? 'l’horloge de cette machine' : from})`,
  },
  /** Titles of the errors that pages expect, by their codes. */
  titles: {
    TEMPORAL_UNAVAILABLE: {
      EN: 'The Temporal server does not answer',
      FR: 'Le serveur Temporal ne répond pas',
    },
    TEMPORAL_BUSY: { EN: 'The Temporal server is overloaded', FR: 'Le serveur Temporal est surchargé' },
    WORKER_UNAVAILABLE: { EN: 'No worker answers', FR: 'Aucun worker ne répond' },
    SESSION_NOT_FOUND: { EN: 'No such session', FR: 'Session introuvable' },
  },
  otherError: { EN: 'Something went wrong', FR: 'Cela n’a pas fonctionné' },
  retries: { EN: 'This page retries automatically.', FR: 'Cette page réessaie d’elle-même.' },
  logIn: { EN: 'Log in', FR: 'Se connecter' },
  loggedOut: { EN: 'You are logged out', FR: 'Vous vous êtes déconnecté' },
} satisfies Catalogue;

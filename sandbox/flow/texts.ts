import type { AccountId, LoginId } from '../sessions/banks';
import type { Problem } from './steps';
import type { FlowStep } from '../sessions/session';
import type { Language } from '../../src/web/language';

/** The texts of the flow in a language. */
export const textsOf = (language: Language): FlowTexts => (language === 'FR' ? FR : EN);

/** Every text of the flow, in one language. Amounts arrive as texts of that language. */
export interface FlowTexts {
  readonly payment: string;
  readonly deposit: string;
  readonly sandboxNote: string;
  readonly position: (step: number, steps: number) => string;
  readonly errorPrefix: string;
  readonly errorHeading: string;
  readonly outOfDate: string;
  readonly amount: string;
  readonly merchant: string;
  readonly reference: string;
  readonly toAccount: string;
  readonly fromAccount: string;
  readonly banks: string;
  readonly headings: Readonly<Record<FlowStep, string>>;
  readonly actions: {
    readonly agree: string;
    readonly continue: string;
    readonly logIn: string;
    readonly confirm: string;
    readonly accept: string;
    readonly acceptOffer: string;
    readonly otherAmount: string;
    readonly sign: string;
    readonly back: string;
    readonly leave: string;
    readonly signLater: string;
  };
  readonly problems: Readonly<Record<Problem['why'], (facts: ProblemFacts) => string>>;
  readonly consent: { readonly intro: string; readonly items: readonly string[]; readonly note: string };
  readonly login: {
    readonly intro: (bank: string) => string;
    readonly username: string;
    readonly password: string;
    readonly testLogins: string;
    readonly passwordIs: (password: string) => string;
    readonly anythingElse: string;
    readonly meanings: Readonly<Record<LoginId, string>>;
  };
  readonly account: {
    readonly legend: string;
    readonly names: Readonly<Record<AccountId, string>>;
    readonly available: (balance: string) => string;
  };
  readonly amounts: {
    /** Heading where the payor enters the amount. */
    readonly enter: string;
    readonly label: string;
    readonly bounds: (minimum: string, maximum: string) => string;
    readonly fixed: string;
    readonly guaranteed: string;
  };
  readonly offer: { readonly intro: (offer: string) => string };
  readonly agreement: {
    readonly terms: (account: string, amount: string) => readonly string[];
    readonly agreed: string;
    readonly signature: string;
    readonly signatureHint: string;
  };
  readonly results: {
    readonly success: string;
    readonly paid: (amount: string) => string;
    readonly deposited: (amount: string) => string;
    readonly failed: string;
    /** The reason, by the session's code; e-Transfers have none (contract A46). */
    readonly reasons: Readonly<Record<string, string>>;
    readonly reasonUnknown: string;
    readonly left: string;
    readonly leftOpen: string;
    readonly leftToSign: string;
    readonly goBack: string;
    readonly canClose: string;
    readonly returning: string;
    readonly backToMerchant: string;
  };
  readonly over: string;
  readonly scenario: { readonly heading: string; readonly intro: (id: string) => string };
}

export interface ProblemFacts {
  readonly attemptsLeft: number;
  readonly minimum: string;
  readonly maximum: string;
}

export const EN: FlowTexts = {
  payment: 'Payment',
  deposit: 'Deposit',
  sandboxNote: 'Sandbox: the banks are invented, and no money moves.',
  position: (step, steps) => `Step ${step} of ${steps}`,
  errorPrefix: 'Error',
  errorHeading: 'There is a problem',
  outOfDate: 'That page was out of date. This is where you are now.',
  amount: 'Amount',
  merchant: 'Merchant',
  reference: 'Reference',
  toAccount: 'To account',
  fromAccount: 'Your account',
  banks: 'Banks',
  headings: {
    consent: 'Your consent',
    institution: 'Choose your bank',
    login: 'Log in to your bank',
    account: 'Choose an account',
    amount: 'Confirm the amount',
    offer: 'Another amount is available',
    accept: 'Review the request',
    agreement: 'Sign the pre-authorized debit agreement',
  },
  actions: {
    agree: 'I agree',
    continue: 'Continue',
    logIn: 'Log in',
    confirm: 'Confirm',
    accept: 'Accept the request',
    acceptOffer: 'Take this amount',
    otherAmount: 'Enter another amount',
    sign: 'Sign',
    back: 'Back',
    leave: 'Leave without paying',
    signLater: 'Leave and sign later',
  },
  problems: {
    institutionMissing: () => 'Choose your bank.',
    loginMissing: () => 'Enter your username and password.',
    loginWrong: ({ attemptsLeft }) =>
      `The username or password is wrong. ${attemptsLeft === 1 ? 'One attempt is' : `${attemptsLeft} attempts are`} left.`,
    accountMissing: () => 'Choose an account.',
    amountUnreadable: () => 'Enter an amount in dollars and cents, such as 25.00.',
    amountOutOfBounds: ({ minimum, maximum }) => `Enter an amount from ${minimum} to ${maximum}.`,
    amountNotGuaranteed: () =>
      'This amount cannot be guaranteed from this account. Enter another amount, or go back and choose another account.',
    agreementMissing: () => 'Tick the box to agree.',
    signatureMissing: () => 'Type your full name to sign.',
  },
  consent: {
    intro: 'To make this payment, we connect to your bank. With your consent, we:',
    items: [
      'read the name and address of the account holder, to see that it is you;',
      'read your accounts and their balances, so that you can choose one;',
      'pass on the account that you choose to carry out this payment.',
    ],
    note: 'We do this once, for this payment only, and do not keep your bank password.',
  },
  login: {
    intro: (bank) => `Use the username and password of your online banking at ${bank}.`,
    username: 'Username',
    password: 'Password',
    testLogins: 'Test logins of this sandbox',
    passwordIs: (password) => `The password for all of them is ${password}.`,
    anythingElse: 'Anything else is a wrong login.',
    meanings: {
      payor: 'the account holder is the payor of this session',
      initial: 'the bank knows the first name by its initial: not enough for a guaranteed payment',
      moved: 'the bank knows another address: not enough for a guaranteed payment',
      other: 'the account belongs to someone else',
    },
  },
  account: {
    legend: 'Accounts',
    names: { chequing: 'Everyday chequing', savings: 'Savings', student: 'Student account' },
    available: (balance) => `${balance} available`,
  },
  amounts: {
    enter: 'Enter the amount',
    label: 'Amount in Canadian dollars',
    bounds: (minimum, maximum) => `From ${minimum} to ${maximum}.`,
    fixed: 'This amount was set for you and cannot be changed.',
    guaranteed: 'This payment is guaranteed to the recipient.',
  },
  offer: {
    intro: (offer) => `We can guarantee up to ${offer} from this account. You can pay this amount instead.`,
  },
  agreement: {
    terms: (account, amount) => [
      `I authorize a single debit of ${amount} from my account ${account}.`,
      'I may revoke this agreement before the debit is made, and I have recourse rights if a debit does not comply with it.',
      'This is a sample for a sandbox, not a legal text.',
    ],
    agreed: 'I have read this agreement and agree to it.',
    signature: 'Your full name, as your signature',
    signatureHint: 'Your payment is made once you have signed. You can also sign later, with the same link.',
  },
  results: {
    success: 'Thank you',
    paid: (amount) => `Your payment of ${amount} is on its way.`,
    deposited: (amount) => `${amount} is on its way to your account.`,
    failed: 'The payment could not be made',
    reasons: {
      EFT0401: 'The login at your bank failed too many times.',
      EFT0402: 'No guarantee is available for this payment.',
      EFT0403: 'The account holder does not match the details we were given about you.',
      EFT0404: 'The available balance is too low.',
    },
    reasonUnknown: 'Your bank did not approve it. Nothing was debited.',
    left: 'You have left the payment',
    leftOpen: 'Nothing was debited. You can come back and continue while the session is open.',
    leftToSign: 'Your account is confirmed, and the payment is waiting for your signature.',
    goBack: 'Go back to it',
    canClose: 'You can close this page.',
    returning: 'Taking you back to the merchant…',
    backToMerchant: 'Back to the merchant',
  },
  over: 'This session is over.',
  scenario: {
    heading: 'A scenario plays the payor',
    intro: (id) =>
      `The session’s reference names the scenario ${id}. There is nothing to do here; to play the payor yourself, open a session whose reference names no scenario.`,
  },
};

export const FR: FlowTexts = {
  payment: 'Paiement',
  deposit: 'Dépôt',
  sandboxNote: 'Bac à sable : les banques sont fictives et aucun argent réel n’est transféré.',
  position: (step, steps) => `Étape ${step} sur ${steps}`,
  errorPrefix: 'Erreur',
  errorHeading: 'Il y a un problème',
  outOfDate: 'Cette page n’était plus à jour. Voici où vous en êtes.',
  amount: 'Montant',
  merchant: 'Marchand',
  reference: 'Référence',
  toAccount: 'Compte de destination',
  fromAccount: 'Votre compte',
  banks: 'Banques',
  headings: {
    consent: 'Votre consentement',
    institution: 'Choisissez votre banque',
    login: 'Connectez-vous à votre banque',
    account: 'Choisissez un compte',
    amount: 'Confirmez le montant',
    offer: 'Un autre montant est possible',
    accept: 'Vérifiez la demande',
    agreement: 'Signez l’accord de débit préautorisé',
  },
  actions: {
    agree: 'J’accepte',
    continue: 'Continuer',
    logIn: 'Se connecter',
    confirm: 'Confirmer',
    accept: 'Accepter la demande',
    acceptOffer: 'Choisir ce montant',
    otherAmount: 'Saisir un autre montant',
    sign: 'Signer',
    back: 'Retour',
    leave: 'Quitter sans payer',
    signLater: 'Quitter et signer plus tard',
  },
  problems: {
    institutionMissing: () => 'Choisissez votre banque.',
    loginMissing: () => 'Saisissez votre nom d’utilisateur et votre mot de passe.',
    loginWrong: ({ attemptsLeft }) =>
      `Le nom d’utilisateur ou le mot de passe est incorrect. Il vous reste ${attemptsLeft === 1 ? 'une tentative' : `${attemptsLeft} tentatives`}.`,
    accountMissing: () => 'Choisissez un compte.',
    amountUnreadable: () => 'Saisissez un montant en dollars et en cents, par exemple 25,00.',
    amountOutOfBounds: ({ minimum, maximum }) => `Saisissez un montant de ${minimum} à ${maximum}.`,
    amountNotGuaranteed: () =>
      'Ce montant ne peut pas être garanti à partir de ce compte. Saisissez un autre montant, ou revenez en arrière pour choisir un autre compte.',
    agreementMissing: () => 'Cochez la case pour accepter.',
    signatureMissing: () => 'Tapez votre nom complet pour signer.',
  },
  consent: {
    intro: 'Pour effectuer ce paiement, nous nous connectons à votre banque. Avec votre consentement :',
    items: [
      'nous lisons le nom et l’adresse du titulaire du compte, pour vérifier qu’il s’agit bien de vous;',
      'nous lisons vos comptes et leurs soldes, pour que vous puissiez en choisir un;',
      'nous transmettons le compte choisi pour exécuter ce paiement.',
    ],
    note: 'Nous le faisons une seule fois, pour ce paiement, et ne conservons pas votre mot de passe bancaire.',
  },
  login: {
    intro: (bank) =>
      `Utilisez le nom d’utilisateur et le mot de passe de vos services bancaires en ligne (${bank}).`,
    username: 'Nom d’utilisateur',
    password: 'Mot de passe',
    testLogins: 'Comptes d’essai de ce bac à sable',
    passwordIs: (password) => `Le mot de passe est ${password} pour tous ces comptes.`,
    anythingElse: 'Toute autre combinaison est refusée.',
    meanings: {
      payor: 'le titulaire du compte est le payeur de cette session',
      initial: 'la banque ne connaît que l’initiale du prénom : insuffisant pour un paiement garanti',
      moved: 'la banque connaît une autre adresse : insuffisant pour un paiement garanti',
      other: 'le compte appartient à une autre personne',
    },
  },
  account: {
    legend: 'Comptes',
    names: { chequing: 'Compte chèques', savings: 'Compte d’épargne', student: 'Compte étudiant' },
    available: (balance) => `Solde : ${balance}`,
  },
  amounts: {
    enter: 'Saisissez le montant',
    label: 'Montant en dollars canadiens',
    bounds: (minimum, maximum) => `De ${minimum} à ${maximum}.`,
    fixed: 'Ce montant a été fixé d’avance et ne peut pas être modifié.',
    guaranteed: 'Ce paiement est garanti pour le destinataire.',
  },
  offer: {
    intro: (offer) =>
      `Nous pouvons garantir jusqu’à ${offer} à partir de ce compte. Vous pouvez plutôt payer ce montant.`,
  },
  agreement: {
    terms: (account, amount) => [
      `J’autorise un seul débit de ${amount} de mon compte ${account}.`,
      'Je peux révoquer cet accord avant le débit, et j’ai certains droits de recours si un débit n’y est pas conforme.',
      'Ceci est un exemple pour un bac à sable, et non un texte juridique.',
    ],
    agreed: 'J’ai lu cet accord et je l’accepte.',
    signature: 'Votre nom complet, en guise de signature',
    signatureHint:
      'Votre paiement est effectué dès que vous avez signé. Vous pouvez aussi signer plus tard, avec le même lien.',
  },
  results: {
    success: 'Merci',
    paid: (amount) => `Votre paiement de ${amount} est en route.`,
    deposited: (amount) => `Un dépôt de ${amount} est en route vers votre compte.`,
    failed: 'Le paiement n’a pas pu être effectué',
    reasons: {
      EFT0401: 'La connexion à votre banque a échoué à trop de reprises.',
      EFT0402: 'Aucune garantie n’est possible pour ce paiement.',
      EFT0403:
        'Le titulaire du compte ne correspond pas aux renseignements qui nous ont été fournis à votre sujet.',
      EFT0404: 'Le solde disponible est insuffisant.',
    },
    reasonUnknown: 'Votre banque ne l’a pas approuvé. Rien n’a été débité.',
    left: 'Vous avez interrompu le paiement',
    leftOpen: 'Rien n’a été débité. Vous pouvez revenir et continuer tant que la session est ouverte.',
    leftToSign: 'Votre compte est confirmé, et le paiement attend votre signature.',
    goBack: 'Reprendre le paiement',
    canClose: 'Vous pouvez fermer cette page.',
    returning: 'Retour au marchand en cours…',
    backToMerchant: 'Retour au marchand',
  },
  over: 'Cette session est terminée.',
  scenario: {
    heading: 'Un scénario joue le rôle du payeur',
    intro: (id) =>
      `La référence de la session désigne le scénario ${id}. Il n’y a rien à faire ici; pour jouer ce rôle vous-même, ouvrez une session dont la référence ne désigne aucun scénario.`,
  },
};

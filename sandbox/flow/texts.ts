import { languagesOf, type Catalogue } from '../../src/web/language';

/** Values in the texts of problems. Amounts are formatted in the payor's language. */
interface ProblemFacts {
  readonly attemptsLeft: number;
  readonly minimum: string;
  readonly maximum: string;
}

const FLOW = {
  payment: { EN: 'Payment', FR: 'Paiement' },
  deposit: { EN: 'Deposit', FR: 'Dépôt' },
  sandboxNote: {
    EN: 'Sandbox: the banks are invented, and no money moves.',
    FR: 'Bac à sable : les banques sont fictives et aucun argent réel n’est transféré.',
  },
  position: {
    EN: (step: number, steps: number) => `Step ${step} of ${steps}`,
    FR: (step: number, steps: number) => `Étape ${step} sur ${steps}`,
  },
  errorPrefix: { EN: 'Error', FR: 'Erreur' },
  errorHeading: { EN: 'There is a problem', FR: 'Il y a un problème' },
  outOfDate: {
    EN: 'That page was out of date. This is where you are now.',
    FR: 'Cette page n’était plus à jour. Voici où vous en êtes.',
  },
  amount: { EN: 'Amount', FR: 'Montant' },
  merchant: { EN: 'Merchant', FR: 'Marchand' },
  reference: { EN: 'Reference', FR: 'Référence' },
  toAccount: { EN: 'To account', FR: 'Compte de destination' },
  fromAccount: { EN: 'Your account', FR: 'Votre compte' },
  banks: { EN: 'Banks', FR: 'Banques' },
  headings: {
    consent: { EN: 'Your consent', FR: 'Votre consentement' },
    institution: { EN: 'Choose your bank', FR: 'Choisissez votre banque' },
    login: { EN: 'Log in to your bank', FR: 'Connectez-vous à votre banque' },
    account: { EN: 'Choose an account', FR: 'Choisissez un compte' },
    amount: { EN: 'Confirm the amount', FR: 'Confirmez le montant' },
    offer: { EN: 'Another amount is available', FR: 'Un autre montant est possible' },
    accept: { EN: 'Review the request', FR: 'Vérifiez la demande' },
    agreement: {
      EN: 'Sign the pre-authorized debit agreement',
      FR: 'Signez l’accord de débit préautorisé',
    },
  },
  actions: {
    agree: { EN: 'I agree', FR: 'J’accepte' },
    continue: { EN: 'Continue', FR: 'Continuer' },
    logIn: { EN: 'Log in', FR: 'Se connecter' },
    confirm: { EN: 'Confirm', FR: 'Confirmer' },
    accept: { EN: 'Accept the request', FR: 'Accepter la demande' },
    acceptOffer: { EN: 'Take this amount', FR: 'Choisir ce montant' },
    otherAmount: { EN: 'Enter another amount', FR: 'Saisir un autre montant' },
    sign: { EN: 'Sign', FR: 'Signer' },
    back: { EN: 'Back', FR: 'Retour' },
    leave: { EN: 'Leave without paying', FR: 'Quitter sans payer' },
    leaveDeposit: { EN: 'Leave without the deposit', FR: 'Quitter sans recevoir le dépôt' },
    signLater: { EN: 'Leave and sign later', FR: 'Quitter et signer plus tard' },
  },
  problems: {
    institutionMissing: { EN: () => 'Choose your bank.', FR: () => 'Choisissez votre banque.' },
    loginMissing: {
      EN: () => 'Enter your username and password.',
      FR: () => 'Saisissez votre nom d’utilisateur et votre mot de passe.',
    },
    loginWrong: {
      EN: ({ attemptsLeft }: ProblemFacts) =>
        `The username or password is wrong. ${attemptsLeft === 1 ? 'One attempt is' : `${attemptsLeft} attempts are`} left.`,
      FR: ({ attemptsLeft }: ProblemFacts) =>
        `Le nom d’utilisateur ou le mot de passe est incorrect. Il vous reste ${attemptsLeft === 1 ? 'une tentative' : `${attemptsLeft} tentatives`}.`,
    },
    accountMissing: { EN: () => 'Choose an account.', FR: () => 'Choisissez un compte.' },
    amountUnreadable: {
      EN: () => 'Enter an amount in dollars and cents, such as 25.00.',
      FR: () => 'Saisissez un montant en dollars et en cents, par exemple 25,00.',
    },
    amountOutOfBounds: {
      EN: ({ minimum, maximum }: ProblemFacts) => `Enter an amount from ${minimum} to ${maximum}.`,
      FR: ({ minimum, maximum }: ProblemFacts) => `Saisissez un montant de ${minimum} à ${maximum}.`,
    },
    amountNotGuaranteed: {
      EN: () =>
        'This amount cannot be guaranteed from this account. Enter another amount, or go back and choose another account.',
      FR: () =>
        'Ce montant ne peut pas être garanti à partir de ce compte. Saisissez un autre montant, ou revenez en arrière pour choisir un autre compte.',
    },
    agreementMissing: { EN: () => 'Tick the box to agree.', FR: () => 'Cochez la case pour accepter.' },
    signatureMissing: {
      EN: () => 'Type your full name to sign.',
      FR: () => 'Tapez votre nom complet pour signer.',
    },
  },
  consent: {
    intro: {
      EN: 'To make this payment, we connect to your bank. With your consent, we:',
      FR: 'Pour effectuer ce paiement, nous nous connectons à votre banque. Avec votre consentement :',
    },
    items: {
      EN: [
        'read the name and address of the account holder, to see that it is you;',
        'read your accounts and their balances, so that you can choose one;',
        'pass on the account that you choose to carry out this payment.',
      ],
      FR: [
        'nous lisons le nom et l’adresse du titulaire du compte, pour vérifier qu’il s’agit bien de vous;',
        'nous lisons vos comptes et leurs soldes, pour que vous puissiez en choisir un;',
        'nous transmettons le compte choisi pour exécuter ce paiement.',
      ],
    },
    note: {
      EN: 'We do this once, for this payment only, and do not keep your bank password.',
      FR: 'Nous le faisons une seule fois, pour ce paiement, et ne conservons pas votre mot de passe bancaire.',
    },
  },
  login: {
    intro: {
      EN: (bank: string) => `Use the username and password of your online banking at ${bank}.`,
      FR: (bank: string) =>
        `Utilisez le nom d’utilisateur et le mot de passe de vos services bancaires en ligne (${bank}).`,
    },
    username: { EN: 'Username', FR: 'Nom d’utilisateur' },
    password: { EN: 'Password', FR: 'Mot de passe' },
    testLogins: { EN: 'Test logins of this sandbox', FR: 'Comptes d’essai de ce bac à sable' },
    passwordIs: {
      EN: (password: string) => `The password for all of them is ${password}.`,
      FR: (password: string) => `Le mot de passe est ${password} pour tous ces comptes.`,
    },
    anythingElse: { EN: 'Anything else is a wrong login.', FR: 'Toute autre combinaison est refusée.' },
    meanings: {
      payor: {
        EN: 'the account holder is the payor of this session',
        FR: 'le titulaire du compte est le payeur de cette session',
      },
      initial: {
        EN: 'the bank knows the first name by its initial: not enough for a guaranteed payment',
        FR: 'la banque ne connaît que l’initiale du prénom : insuffisant pour un paiement garanti',
      },
      moved: {
        EN: 'the bank knows another address: not enough for a guaranteed payment',
        FR: 'la banque connaît une autre adresse : insuffisant pour un paiement garanti',
      },
      other: {
        EN: 'the account belongs to someone else',
        FR: 'le compte appartient à une autre personne',
      },
    },
  },
  account: {
    legend: { EN: 'Accounts', FR: 'Comptes' },
    names: {
      chequing: { EN: 'Everyday chequing', FR: 'Compte chèques' },
      savings: { EN: 'Savings', FR: 'Compte d’épargne' },
      student: { EN: 'Student account', FR: 'Compte étudiant' },
    },
    available: {
      EN: (balance: string) => `${balance} available`,
      FR: (balance: string) => `Solde : ${balance}`,
    },
  },
  amounts: {
    /** The heading if the session has no amount yet. */
    enter: { EN: 'Enter the amount', FR: 'Saisissez le montant' },
    label: { EN: 'Amount in Canadian dollars', FR: 'Montant en dollars canadiens' },
    bounds: {
      EN: (minimum: string, maximum: string) => `From ${minimum} to ${maximum}.`,
      FR: (minimum: string, maximum: string) => `De ${minimum} à ${maximum}.`,
    },
    fixed: {
      EN: 'This amount was set for you and cannot be changed.',
      FR: 'Ce montant a été fixé d’avance et ne peut pas être modifié.',
    },
    guaranteed: {
      EN: 'This payment is guaranteed to the recipient.',
      FR: 'Ce paiement est garanti pour le destinataire.',
    },
  },
  offer: {
    intro: {
      EN: (offer: string) =>
        `We can guarantee up to ${offer} from this account. You can pay this amount instead.`,
      FR: (offer: string) =>
        `Nous pouvons garantir jusqu’à ${offer} à partir de ce compte. Vous pouvez plutôt payer ce montant.`,
    },
  },
  agreement: {
    myAccount: { EN: 'my account', FR: 'mon compte' },
    authorization: {
      EN: (account: string, amount: string) => `I authorize a single debit of ${amount} from ${account}.`,
      FR: (account: string, amount: string) => `J’autorise un seul débit de ${amount} de ${account}.`,
    },
    terms: {
      EN: [
        'I may revoke this agreement before the debit is made, and I have recourse rights if a debit does not comply with it.',
        'This is a sample for a sandbox, not a legal text.',
      ],
      FR: [
        'Je peux révoquer cet accord avant le débit, et j’ai certains droits de recours si un débit n’y est pas conforme.',
        'Ceci est un exemple pour un bac à sable, et non un texte juridique.',
      ],
    },
    agreed: {
      EN: 'I have read this agreement and agree to it.',
      FR: 'J’ai lu cet accord et je l’accepte.',
    },
    signature: {
      EN: 'Your full name, as your signature',
      FR: 'Votre nom complet, en guise de signature',
    },
    signatureHint: {
      EN: 'Your payment is made once you have signed. You can also sign later, with the same link.',
      FR: 'Votre paiement est effectué dès que vous avez signé. Vous pouvez aussi signer plus tard, avec le même lien.',
    },
  },
  results: {
    success: { EN: 'Thank you', FR: 'Merci' },
    paid: {
      EN: (amount: string) => `Your payment of ${amount} is on its way.`,
      FR: (amount: string) => `Votre paiement de ${amount} est en route.`,
    },
    deposited: {
      EN: (amount: string) => `${amount} is on its way to your account.`,
      FR: (amount: string) => `Un dépôt de ${amount} est en route vers votre compte.`,
    },
    failed: { EN: 'The payment could not be made', FR: 'Le paiement n’a pas pu être effectué' },
    /** By the session's code; e-Transfers have none (contract rule A46 in docs/contract.md). */
    reasons: {
      EFT0401: {
        EN: 'The login at your bank failed too many times.',
        FR: 'La connexion à votre banque a échoué à trop de reprises.',
      },
      EFT0402: {
        EN: 'No guarantee is available for this payment.',
        FR: 'Aucune garantie n’est possible pour ce paiement.',
      },
      EFT0403: {
        EN: 'The account holder does not match the details we were given about you.',
        FR: 'Le titulaire du compte ne correspond pas aux renseignements qui nous ont été fournis à votre sujet.',
      },
      EFT0404: { EN: 'The available balance is too low.', FR: 'Le solde disponible est insuffisant.' },
    },
    reasonUnknown: {
      EN: 'Your bank did not approve it. Nothing was debited.',
      FR: 'Votre banque ne l’a pas approuvé. Rien n’a été débité.',
    },
    left: { EN: 'You have left the payment', FR: 'Vous avez interrompu le paiement' },
    leftOpen: {
      EN: 'Nothing was debited. You can come back and continue while the session is open.',
      FR: 'Rien n’a été débité. Vous pouvez revenir et continuer tant que la session est ouverte.',
    },
    leftToSign: {
      EN: 'Your account is confirmed, and the payment is waiting for your signature.',
      FR: 'Votre compte est confirmé, et le paiement attend votre signature.',
    },
    goBack: { EN: 'Go back to it', FR: 'Reprendre le paiement' },
    canClose: { EN: 'You can close this page.', FR: 'Vous pouvez fermer cette page.' },
    returning: { EN: 'Taking you back to the merchant…', FR: 'Retour au marchand en cours…' },
    backToMerchant: { EN: 'Back to the merchant', FR: 'Retour au marchand' },
  },
  over: { EN: 'This session is over.', FR: 'Cette session est terminée.' },
  scenario: {
    heading: { EN: 'A scenario plays the payor', FR: 'Un scénario joue le rôle du payeur' },
    intro: {
      EN: (id: string) =>
        `The session’s reference names the scenario ${id}. There is nothing to do here; to play the payor yourself, open a session whose reference names no scenario.`,
      FR: (id: string) =>
        `La référence de la session désigne le scénario ${id}. Il n’y a rien à faire ici; pour jouer ce rôle vous-même, ouvrez une session dont la référence ne désigne aucun scénario.`,
    },
  },
} satisfies Catalogue;

/** Returns all texts of the flow in a language. */
export const textsOf = languagesOf(FLOW);

export type FlowTexts = ReturnType<typeof textsOf>;

import type { FlowTexts } from './texts';

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

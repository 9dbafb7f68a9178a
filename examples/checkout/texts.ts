import type { Text } from './language';

/** A text about a payment. `detail` says what the headline means, or what to do. */
export interface Message {
  readonly headline: Text;
  readonly detail: Text;
}

/** In French: the rule for a name, a street or a city. */
const FILLED = 'à remplir, en 100 caractères au plus';

/**
 * The texts of the shop's pages, in English and French side by side. The texts about payments are in `MESSAGES`, and
 * those of products in `PRODUCTS`.
 */
export const TEXTS = {
  tagline: {
    EN: 'A sample shop: nothing is sold, and no money moves.',
    FR: 'Une boutique d’exemple\u00a0: rien n’est vendu, et aucun argent ne bouge.',
  },
  /** The text of the link to the other language, in that language. */
  otherLanguage: { EN: 'Français', FR: 'English' },
  backToShop: { EN: 'Back to the shop', FR: 'Retour à la boutique' },

  catalogue: {
    title: { EN: 'Things for your desk', FR: 'Des objets pour votre bureau' },
    buy: { EN: 'Buy', FR: 'Acheter' },
  },

  buy: {
    existing: {
      EN: 'You have already placed an order with this form, with other details. If you send the form again, you place a new order.',
      FR: 'Vous avez déjà passé une commande avec ce formulaire, avec d’autres renseignements. Si vous l’envoyez de nouveau, c’en sera une nouvelle.',
    },
    toExisting: { EN: 'See that order', FR: 'Voir cette commande' },
    product: { EN: 'Your purchase', FR: 'Votre achat' },
    buyer: { EN: 'Buyer and delivery address', FR: 'Acheteur et adresse de livraison' },
    send: { EN: 'Order and pay', FR: 'Commander et payer' },
    wrong: {
      EN: (field: string, why: string) => `${field} ${why}`,
      FR: (field: string, why: string) => `${field}\u00a0: ${why}`,
    },
    /** The rules of the fields, only in French. In English, the shop shows the library's own texts. */
    wanted: {
      firstName: FILLED,
      lastName: FILLED,
      email: 'indiquez une adresse courriel, comme avery@example.com',
      street: FILLED,
      city: FILLED,
      province: 'indiquez le code d’une province ou d’un territoire, comme ON',
      postalCode: 'indiquez six lettres et chiffres, comme M5H\u00a01A1',
      other: 'veuillez corriger',
    },
    check: { EN: 'Please check', FR: 'À vérifier' },
  },

  fields: {
    firstName: { EN: 'First name', FR: 'Prénom' },
    lastName: { EN: 'Last name', FR: 'Nom' },
    email: { EN: 'Email', FR: 'Courriel' },
    street: { EN: 'Street', FR: 'Rue' },
    city: { EN: 'City', FR: 'Ville' },
    province: { EN: 'Province', FR: 'Province' },
    postalCode: { EN: 'Postal code', FR: 'Code postal' },
  },

  method: {
    legend: { EN: 'How do you want to pay?', FR: 'Comment payez-vous?' },
    debit: { EN: 'Bank debit', FR: 'Débit bancaire' },
    guaranteed: { EN: 'Guaranteed bank debit', FR: 'Débit bancaire garanti' },
    'e-transfer': { EN: 'e-Transfer', FR: 'Virement électronique' },
  },

  comeBack: {
    legend: { EN: 'How do you want to return to the shop?', FR: 'Comment revenez-vous?' },
    messages: {
      EN: 'By messages: the payment stays in this page (JsEvents)',
      FR: 'Par messages\u00a0: le paiement reste dans cette page (JsEvents)',
    },
    redirect: {
      EN: 'By redirect: the payment moves the whole window (RedirectUri)',
      FR: 'Par redirection\u00a0: le paiement occupe toute la fenêtre (RedirectUri)',
    },
  },

  order: {
    title: { EN: 'Your order', FR: 'Votre commande' },
    looking: { EN: 'Loading your order …', FR: 'Lecture de votre commande…' },
    needsScripts: {
      EN: 'This page needs scripts to show the state of your order.',
      FR: 'Cette page a besoin de scripts pour dire où en est votre commande.',
    },
    resume: { EN: 'Continue to pay', FR: 'Continuer le paiement' },
    cancel: { EN: 'Cancel the order', FR: 'Annuler la commande' },
    payment: { EN: 'Payment', FR: 'Paiement' },
    happened: { EN: 'What happened', FR: 'Ce qui s’est passé' },
    id: { EN: 'Order', FR: 'Commande' },
    away: {
      EN: 'Payments are not available right now. This page will say when they are back.',
      FR: 'Les paiements sont indisponibles en ce moment. Cette page dira quand ils seront de retour.',
    },
    silent: {
      EN: 'The shop does not answer. This page will say when it is back.',
      FR: 'La boutique ne répond pas. Cette page dira quand elle sera de retour.',
    },
    uncancelled: {
      EN: 'The order could not be cancelled. Please try again.',
      FR: 'La commande n’a pas pu être annulée. Veuillez réessayer.',
    },
  },

  /** Says which call to the payment service showed a state of the payment. */
  sources: {
    create: { EN: 'seen by create', FR: 'vu à la création' },
    poll: { EN: 'seen by poll', FR: 'vu par une vérification' },
    cancel: { EN: 'seen by cancel', FR: 'vu par l’annulation' },
  },

  errors: {
    notSold: { EN: 'We do not sell this.', FR: 'Nous ne vendons pas cela.' },
    noOrder: { EN: 'There is no such order.', FR: 'Cette commande n’existe pas.' },
    nothingHere: { EN: 'There is nothing here.', FR: 'Il n’y a rien ici.' },
    noShop: { EN: 'There is no shop with this name here.', FR: 'Il n’y a pas de boutique de ce nom ici.' },
    elsewhere: { EN: 'This request comes from another site.', FR: 'Cela vient d’un autre site.' },
    noForm: { EN: 'Send the form of this page.', FR: 'Envoyez le formulaire de cette page.' },
    noHost: { EN: 'The Host header names no host.', FR: 'L’en-tête Host ne nomme aucun hôte.' },
    crowded: { EN: 'Too many pages are open.', FR: 'Trop de pages sont ouvertes.' },
    cancelling: { EN: 'The order is being cancelled.', FR: 'La commande est en cours d’annulation.' },
    unavailable: {
      EN: 'Payments are not available right now. Please try again.',
      FR: 'Les paiements sont indisponibles en ce moment. Veuillez réessayer.',
    },
    refused: { EN: 'We cannot accept this request.', FR: 'Nous ne pouvons pas accepter cette requête.' },
    ours: { EN: 'Something went wrong on our side.', FR: 'Une erreur s’est produite de notre côté.' },
  },
} as const;

const NOTHING_DEBITED: Text = { EN: 'Nothing was debited.', FR: 'Rien n’a été débité.' };

const PAY_OR_CANCEL: Text = {
  EN: 'Pay from your bank account, or cancel the order.',
  FR: 'Payez à partir de votre compte bancaire, ou annulez la commande.',
};

/** The reason of a failed payment, by the session's code (contract rule A41 in docs/contract.md). */
const REASONS: Readonly<Record<string, Text>> = {
  EFT0401: { EN: 'The login at your bank failed.', FR: 'La connexion à votre banque a échoué.' },
  EFT0402: {
    EN: 'No guarantee is available for this payment.',
    FR: 'Aucune garantie n’est offerte pour ce paiement.',
  },
  EFT0403: {
    EN: 'The account holder does not match your details.',
    FR: 'Le titulaire du compte ne correspond pas à vos renseignements.',
  },
  EFT0404: { EN: 'The available balance is too low.', FR: 'Le solde disponible est insuffisant.' },
};

const REFUSED: Text = { EN: 'The payment was refused.', FR: 'Le paiement a été refusé.' };

/** The texts about the payment on an order's page. */
export const MESSAGES = {
  unopened: (code: string): Message => ({
    headline: { EN: 'The payment could not be opened', FR: 'Le paiement n’a pas pu être ouvert' },
    detail: { EN: `Nothing was debited (${code}).`, FR: `Rien n’a été débité (${code}).` },
  }),
  creating: {
    headline: { EN: 'Preparing your payment', FR: 'Préparation de votre paiement' },
    detail: { EN: 'This takes a moment.', FR: 'Un instant.' },
  },
  parked: {
    headline: { EN: 'Checking your payment', FR: 'Vérification de votre paiement' },
    detail: {
      EN: 'We are asking the payment service what happened to it.',
      FR: 'Nous demandons au service de paiement ce qu’il en est.',
    },
  },
  cancelling: {
    headline: { EN: 'Cancelling your order', FR: 'Annulation de votre commande' },
    detail: {
      EN: 'We are asking the payment service to cancel it.',
      FR: 'Nous en faisons la demande au service de paiement.',
    },
  },
  open: {
    headline: { EN: 'Waiting for your payment', FR: 'En attente de votre paiement' },
    detail: PAY_OR_CANCEL,
  },
  unsigned: {
    headline: { EN: 'One signature to go', FR: 'Il manque une signature' },
    detail: {
      EN: 'Your account is confirmed: sign the agreement to pay.',
      FR: 'Votre compte est confirmé\u00a0: signez l’accord pour payer.',
    },
  },
  neverSigned: {
    headline: {
      EN: 'The agreement was not signed in time',
      FR: 'L’accord n’a pas été signé à temps',
    },
    detail: NOTHING_DEBITED,
  },
  unsure: {
    headline: { EN: 'Checking your payment', FR: 'Vérification de votre paiement' },
    detail: {
      EN: 'We are making sure that it went through.',
      FR: 'Nous nous assurons qu’il a bien été effectué.',
    },
  },
  paid: {
    headline: { EN: 'Paid. Thank you!', FR: 'Payée. Merci!' },
    detail: { EN: 'We are packing your order.', FR: 'Nous préparons votre commande.' },
  },
  arrived: {
    headline: { EN: 'Your payment has arrived. Thank you!', FR: 'Votre paiement est arrivé. Merci!' },
    detail: { EN: 'Your order is on its way.', FR: 'Votre commande est en route.' },
  },
  cameBack: {
    headline: { EN: 'Your payment came back', FR: 'Votre paiement a été retourné' },
    detail: {
      EN: 'Your bank has returned it, so we do not deliver. Order again if you like.',
      FR: 'Votre banque l’a retourné\u00a0: nous ne livrons donc pas. Vous pouvez commander de nouveau.',
    },
  },
  failed: (code: string): Message => {
    const reason = REASONS[code] ?? REFUSED;
    return {
      headline: { EN: 'The payment failed', FR: 'Le paiement a échoué' },
      detail: {
        EN: `${reason.EN} ${NOTHING_DEBITED.EN}`,
        FR: `${reason.FR} ${NOTHING_DEBITED.FR}`,
      },
    };
  },
  cancelled: {
    headline: { EN: 'Order cancelled', FR: 'Commande annulée' },
    detail: NOTHING_DEBITED,
  },
  expired: {
    headline: { EN: 'The payment has expired', FR: 'Le paiement a expiré' },
    detail: {
      EN: 'Nothing was debited. Order again if you like.',
      FR: 'Rien n’a été débité. Vous pouvez commander de nouveau.',
    },
  },
  /** For a status that the shop does not know: shows the status as the payment service reports it. */
  other: (status: string): Message => ({
    headline: { EN: `The payment is ${status}`, FR: `État du paiement\u00a0: ${status}` },
    detail: PAY_OR_CANCEL,
  }),
} as const;

import type { SessionKind } from '../../src/contract';
import type { DeliveryState } from '../../ledger/webhooks/deliveries';
import type { StateSource } from '../../src/protocol/state/recorded';
import type { Catalogue, Text } from '../../src/web/language';
import { counted, WORDS } from './words';

const { account, amount, customer, direction, ended, key, kind, reference, started } = WORDS;

/** One session’s page. */
export const SESSION = {
  title: { EN: (key: string) => `Session ${key}`, FR: (key: string) => `Session ${key}` },
  /** The word before the key, in the heading. */
  headed: { EN: 'Session', FR: 'Session' },
  /** A colon, with a space before it if the language has one. */
  colon: { EN: ':', FR: ' :' },
  facts: {
    ...{ key, amount, direction, kind, reference, customer, account, started, ended },
    payorEnters: { EN: 'Entered by the payor', FR: 'Saisi par le payeur' },
    paid: { EN: 'Paid', FR: 'Payée' },
    yes: { EN: 'Yes', FR: 'Oui' },
    no: { EN: 'No', FR: 'Non' },
    settled: WORDS.arrived,
    returned: WORDS.cameBack,
    handled: { EN: 'Return handled', FR: 'Retour traité' },
    sessionId: { EN: 'Payment service session id', FR: 'Identifiant de session du service de paiement' },
    named: {
      EN: 'Session id in the answer to the create request',
      FR: 'Identifiant de session dans la réponse à la demande de création',
    },
    unknown: { EN: 'Unknown until the session answers', FR: 'Inconnu tant que la session ne répond pas' },
    none: { EN: 'None', FR: 'Aucune' },
    masked: { EN: 'Hidden (personal data)', FR: 'Masqué (donnée personnelle)' },
  },
  kinds: {
    EFT: { EN: 'EFT', FR: 'TEF' },
    GEFT: { EN: 'Guaranteed EFT', FR: 'TEF garanti' },
    'e-Transfer': { EN: 'e-Transfer', FR: 'Virement électronique' },
  } satisfies Readonly<Record<SessionKind, Text>>,
  sections: {
    standing: { EN: 'Status', FR: 'État' },
    todo: { EN: 'What to do', FR: 'Ce qu’il faut faire' },
    timeline: { EN: 'Timeline', FR: 'Chronologie' },
    request: { EN: 'Request', FR: 'Demande' },
    links: { EN: 'Links', FR: 'Liens' },
  },
  nothingToDo: {
    EN: 'Nothing to do. This session has no known problem.',
    FR: 'Rien à faire. Aucun problème n’est connu pour cette session.',
  },
  /** Shown instead if the problems are unknown. */
  notKnownNow: {
    EN: 'Not known at the moment. Problems are shown once the session can be read again.',
    FR: 'Inconnu en ce moment. On saura si la session a un problème dès qu’elle sera de nouveau lisible.',
  },
  /** The session's money, as the ledger reports it, or why that is unknown. */
  money: {
    paid: {
      EN: 'The payor has done their part: the transaction is scheduled. A regular EFT can still be returned, for insufficient funds or a dispute; this page shows it once a reconciliation file reports it.',
      FR: 'Le payeur a fait sa part : la transaction est prévue. Un TEF ordinaire peut encore revenir, faute de provision ou par contestation; cette page le montre dès qu’un fichier de rapprochement l’a appris au registre.',
    },
    todo: { EN: 'Settle this with the payor', FR: 'À régler avec le payeur' },
    remedy: {
      EN: 'Do not deliver. If the goods are delivered already, ask the payor for another payment.',
      FR: 'Ne livrez pas. Si la marchandise est déjà livrée, demandez un autre paiement au payeur.',
    },
    /** Shown instead if the money was sent to the payor. */
    remedyOut: {
      EN: 'The payor did not get the money. Find out why it came back, then pay them again under another key.',
      FR: 'Le payeur n’a pas reçu l’argent. Cherchez pourquoi il est revenu, puis refaites le versement sous une autre clé.',
    },
    unread: {
      EN: (code: string) =>
        `Whether the money has settled or come back is not known at the moment: the ledger cannot be read (${code}).`,
      FR: (code: string) =>
        `On ne sait pas en ce moment si l’argent est arrivé ou retourné\u00a0: le registre ne le dit pas (${code}).`,
    },
  },
  record: {
    heading: { EN: 'The ledger’s record', FR: 'Ce qu’en sait le registre' },
    body: {
      EN: 'The Temporal server has dropped this session. This page shows the ledger’s record. You can still record what was done about a return.',
      FR: 'Le serveur Temporal a oublié cette session : voici ce qu’en garde le registre. On peut encore consigner ce qui a été fait d’un retour.',
    },
  },
  silence: {
    temporal: {
      heading: { EN: 'The Temporal server does not answer', FR: 'Le serveur Temporal ne répond pas' },
      body: {
        EN: 'What is shown may be out of date. The page recovers automatically.',
        FR: 'Ce qui est affiché ici peut être périmé. La page se rétablit d’elle-même.',
      },
    },
    busy: {
      heading: {
        EN: 'The Temporal server is overloaded or limits its callers',
        FR: 'Le serveur Temporal est surchargé ou limite ses appelants',
      },
      body: {
        EN: 'What is shown may be out of date. The page recovers automatically. If this persists, check the server’s load and rate limits.',
        FR: 'Ce qui est affiché ici peut être périmé. La page se rétablit d’elle-même. Si cela dure, vérifiez la charge du serveur et ses limites de débit.',
      },
    },
    worker: {
      heading: { EN: 'No worker answers for this session', FR: 'Aucun worker ne répond pour cette session' },
      body: {
        EN: 'The session waits until one is back, and so do pending requests. Its deadline does not wait: a payment that has not been created by then never will be, and one that cannot be checked may end unverified, a week later by default. The page shows what the Temporal server knows, and recovers automatically.',
        FR: 'Elle reste en suspens jusqu’à ce qu’il y en ait un, et ce qu’on lui a demandé aussi. Son échéance n’attend pas : un paiement qui n’est pas créé d’ici là ne le sera jamais, et celui que personne ne peut consulter peut finir non vérifié, une semaine plus tard par défaut. Ce que le serveur Temporal sait est affiché. La page se rétablit d’elle-même.',
      },
    },
    locked: {
      heading: { EN: 'The session cannot be read here', FR: 'La session ne peut pas être lue ici' },
      body: {
        EN: 'Most likely, its data is encrypted with a key that this console does not have. Compare the console’s keys with the workers’ keys.',
        FR: 'Le plus souvent, ses données sont chiffrées avec une clé que cette console n’a pas. Comparez les clés de la console avec celles des workers.',
      },
    },
  },
  /** The actions that need the lost part. */
  notNow: {
    temporal: {
      EN: (acts: string) =>
        `Not possible without the Temporal server: ${acts}. The buttons return once it answers.`,
      FR: (acts: string) =>
        `Impossible sans le serveur Temporal\u00a0: ${acts}. Les boutons reviendront avec lui.`,
    },
    worker: {
      EN: (acts: string) => `Not possible without a worker: ${acts}. The buttons return once one answers.`,
      FR: (acts: string) => `Impossible sans worker\u00a0: ${acts}. Les boutons reviendront avec lui.`,
    },
  },
  asOfBefore: { EN: 'Last known state:', FR: 'Selon sa dernière réponse :' },
  failedCalls: counted({
    EN: ['# call failed or was postponed', '# calls in a row failed or were postponed'],
    FR: ['# appel a échoué ou a été reporté', '# appels de suite ont échoué ou ont été reportés'],
  }),
  timeline: {
    columns: {
      when: { EN: 'When', FR: 'Quand' },
      what: { EN: 'What', FR: 'Quoi' },
      details: { EN: 'Details', FR: 'Détails' },
    },
    started,
    over: { EN: 'Workflow ended', FR: 'Fin du workflow' },
    nextCall: { EN: 'Next call', FR: 'Prochain appel' },
    seen: WORDS.state,
    sources: {
      create: { EN: 'from the create request', FR: 'appris par la demande de création' },
      poll: { EN: 'from a poll', FR: 'appris par une vérification' },
      cancel: { EN: 'from the cancellation', FR: 'appris par l’annulation' },
    } satisfies Readonly<Record<StateSource, Text>>,
    cancel: { EN: 'Cancellation requested', FR: 'Annulation demandée' },
    cancelBy: {
      caller: { EN: 'by a caller', FR: 'par un appelant' },
      deadline: { EN: 'by the session’s own deadline', FR: 'par l’échéance de la session' },
    },
    trouble: { EN: 'Calls failing', FR: 'Des appels échouent' },
    anomaly: { EN: 'Anomaly', FR: 'Anomalie' },
    decision: { EN: 'Decision', FR: 'Décision' },
    by: { EN: (name: string) => `by ${name}`, FR: (name: string) => `par ${name}` },
    reason: { EN: (reason: string) => `Reason: ${reason}`, FR: (reason: string) => `Motif\u00a0: ${reason}` },
    unreadableCode: WORDS.unreadableCode,
    webhooks: {
      states: {
        delivered: { EN: 'Webhook delivered', FR: 'Webhook livré' },
        refused: { EN: 'Webhook refused', FR: 'Webhook refusé' },
        givenUp: { EN: 'Webhook given up', FR: 'Webhook abandonné' },
      } satisfies Readonly<Record<DeliveryState, Text>>,
      to: { EN: (endpoint: string) => `to ${endpoint}`, FR: (endpoint: string) => `à ${endpoint}` },
      attempts: {
        EN: (count: number) => `${count} attempts`,
        FR: (count: number) => `${count} tentatives`,
      },
      leftOut: {
        EN: 'Older webhook deliveries are left out.',
        FR: 'Les livraisons de webhooks plus anciennes ne sont pas affichées.',
      },
      nextTry: { EN: 'next try', FR: 'prochaine tentative' },
      waiting: {
        EN: (endpoint: string) => `Webhooks for ${endpoint} are waiting,`,
        FR: (endpoint: string) => `Des webhooks sont en attente pour ${endpoint},`,
      },
      notTried: {
        EN: (endpoint: string) =>
          `and the endpoint receives no more until an operator runs \`paysession webhooks replay --endpoint ${endpoint}\``,
        FR: (endpoint: string) =>
          `et le destinataire n’en reçoit plus tant que personne ne lance \`paysession webhooks replay --endpoint ${endpoint}\``,
      },
    },
  },
  cadence: {
    every: {
      EN: (duration: string) => `The payment service is polled about every ${duration}.`,
      FR: (duration: string) =>
        `Le service de paiement est interrogé environ toutes les ${duration} en ce moment.`,
    },
    notOpen: {
      EN: 'The payment service is not polled yet: there is no session to poll.',
      FR: 'Le service de paiement n’est pas encore interrogé : il n’y a pas de session à vérifier.',
    },
    cancelling: {
      EN: 'The cancel request is repeated at most about a minute apart, until the session has ended. After each request that is refused or fails, the session is polled.',
      FR: 'La demande d’annulation est répétée, à environ une minute d’intervalle au plus, jusqu’à la fin de la session. Après chaque demande qui est refusée ou qui échoue, la session est vérifiée.',
    },
    over: {
      EN: 'The payment service is no longer polled.',
      FR: 'Le service de paiement n’est plus interrogé.',
    },
    unknown: {
      EN: 'The polling interval is not known at the moment.',
      FR: 'On ne sait pas en ce moment à quel rythme le service de paiement est interrogé.',
    },
  },
  request: {
    columns: { field: { EN: 'Field', FR: 'Champ' }, value: { EN: 'Value', FR: 'Valeur' } },
    explained: { EN: 'Personal data is masked.', FR: 'Les données personnelles sont masquées.' },
    revealed: {
      EN: 'Personal data is shown on this page only. Your view is recorded.',
      FR: 'Les données personnelles ne sont affichées que sur cette page. Votre consultation est consignée.',
    },
    notKept: {
      EN: 'The session has ended, or its record is full: only the console’s log records that you viewed it.',
      FR: 'La session est finie ou son dossier est plein : votre consultation n’est consignée que dans le journal de la console.',
    },
    locked: {
      EN: 'The request cannot be read here. Most likely, it is encrypted with a key that this console does not have.',
      FR: 'La demande ne peut pas être lue ici. Le plus souvent, elle est chiffrée avec une clé que cette console n’a pas.',
    },
    notAnInput: {
      EN: 'The input of this workflow is not a payment request.',
      FR: 'Ce qui a lancé ce workflow n’est pas une demande de session de paiement.',
    },
    erased: {
      EN: 'The ledger no longer has the request: it was erased with the personal data.',
      FR: 'Le registre n’a plus la demande : elle a été effacée avec les données personnelles.',
    },
    notRead: {
      EN: 'The request could not be read from the Temporal server.',
      FR: 'La demande n’a pas pu être lue sur le serveur Temporal.',
    },
    serviceSaid: { EN: 'What the payment service said', FR: 'Ce que le service de paiement a dit' },
  },
  links: {
    temporal: { EN: 'History in Temporal', FR: 'Historique dans Temporal' },
    portal: {
      EN: 'Open in the payment service’s portal',
      FR: 'Ouvrir dans le portail du service de paiement',
    },
    checkout: { EN: 'The payor’s page', FR: 'La page du payeur' },
  },
} satisfies Catalogue;

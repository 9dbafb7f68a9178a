/**
 * The return codes of CPA Standard 005 (contract rule A76, docs/contract.md): why a payment came back, and what to do about it.
 * Pure, and without packages, so browsers and workflows can use this module.
 */
import type { SessionRequest } from './session-request';

/** A text in the two languages of the payment service (contract A16). */
export interface ReturnText {
  readonly EN: string;
  readonly FR: string;
}

export const RETURN_ADVICE = ['presentAgain', 'askPayor', 'anotherPayment', 'stop'] as const;
/**
 * The advice for a payment that came back:
 * - `presentAgain`: collect the same amount once more.
 * - `askPayor`: ask the payor what is wrong.
 * - `anotherPayment`: use another bank account or another kind of payment.
 * - `stop`: do not move any more money; for instance, the payor disputes the debit.
 */
export type ReturnAdvice = (typeof RETURN_ADVICE)[number];

/** The urgency of a return. `high` means: act today, before anything else is delivered or debited. */
export type ReturnUrgency = 'high' | 'medium' | 'low';

/** A reason for which a payment comes back. */
export interface ReturnReason {
  /** The code in its standard spelling, such as `901`. */
  readonly code: string;
  /** The reason in a few words, in English and French. */
  readonly meaning: ReturnText;
  /** The advice. {@link RETURN_REMEDIES} has it in full sentences. */
  readonly advice: ReturnAdvice;
  /** The urgency. */
  readonly urgency: ReturnUrgency;
  /** The direction of the sessions to which the code applies. Absent if the code applies to both directions. */
  readonly only?: SessionRequest['direction'];
}

type Row = Omit<ReturnReason, 'code'>;

/** Makes a row. By default, the urgency is `high` with the advice `stop`, otherwise `medium`. */
const row = (
  EN: string,
  FR: string,
  advice: ReturnAdvice,
  urgency: ReturnUrgency = advice === 'stop' ? 'high' : 'medium',
): Row => ({ meaning: { EN, FR }, advice, urgency });

/** The known codes. `DISPUTED` is not in the standard. Services report it for a dispute if the bank sends no other code. */
const ROWS: Readonly<Record<string, Row>> = {
  900: row(
    'Edit reject: the bank details are malformed',
    'Rejet de validation : coordonnées bancaires mal formées',
    'askPayor',
  ),
  901: { ...row('Not sufficient funds', 'Provision insuffisante', 'presentAgain'), only: 'DEBIT' },
  902: row('Account not found', 'Compte introuvable', 'askPayor'),
  903: row('Payment stopped or recalled', 'Paiement arrêté ou rappelé', 'askPayor', 'high'),
  905: row('Account closed', 'Compte fermé', 'anotherPayment'),
  907: row('No debit allowed', 'Aucun débit permis', 'anotherPayment'),
  908: { ...row('Funds not cleared', 'Fonds non libérés', 'presentAgain', 'low'), only: 'DEBIT' },
  909: row('Currency and account do not match', 'Devise et compte ne concordent pas', 'anotherPayment'),
  910: row('Payor or payee deceased', 'Payeur ou bénéficiaire décédé', 'stop'),
  911: row('Account frozen', 'Compte bloqué', 'anotherPayment'),
  912: row('Invalid or incorrect account number', 'Numéro de compte invalide ou inexact', 'askPayor'),
  914: row('Incorrect payor or payee name', 'Nom du payeur ou du bénéficiaire inexact', 'askPayor'),
  915: row('No agreement existed', 'Aucun accord n’existait', 'stop'),
  916: row('Not according to the agreement, personal', 'Non conforme à l’accord, personnel', 'stop'),
  917: row('Agreement revoked, personal', 'Accord révoqué, personnel', 'stop'),
  918: row('No confirmation or pre-notification, personal', 'Ni confirmation ni préavis, personnel', 'stop'),
  919: row('Not according to the agreement, business', 'Non conforme à l’accord, entreprise', 'stop'),
  920: row('Agreement revoked, business', 'Accord révoqué, entreprise', 'stop'),
  921: row('No confirmation or pre-notification, business', 'Ni confirmation ni préavis, entreprise', 'stop'),
  922: {
    ...row('Returned at the customer’s request', 'Retour demandé par le client', 'askPayor'),
    only: 'CREDIT',
  },
  990: row('Institution in default', 'Institution en défaut', 'anotherPayment', 'high'),
  DISPUTED: row('Disputed by the payor', 'Contesté par le payeur', 'stop'),
};

const SYNONYMS: Readonly<Record<string, string>> = { NSF: '901' };

export const RETURN_REASONS: readonly ReturnReason[] = Object.entries(ROWS).map(([code, known]) => ({
  code,
  ...known,
}));

/** Banks and services also write `R901`, or `R900-07`, where `07` is the rejected field. */
const SPELLING = /^R?(9\d{2})(?:-\w+)?$/;

/**
 * Returns the reason for a return's code, such as `901`, `r901`, `R900-07` or `NSF`; `undefined` for an unknown code.
 *
 * @example
 * ```ts
 * const reason = returnReason('R901');
 * if (reason !== undefined) console.log(reason.meaning.EN, RETURN_REMEDIES[reason.advice].DEBIT.EN);
 * ```
 */
export function returnReason(code: string): ReturnReason | undefined {
  const asked = code.trim().toUpperCase();
  const known = SYNONYMS[asked] ?? SPELLING.exec(asked)?.[1] ?? asked;
  return RETURN_REASONS.find((reason) => reason.code === known);
}

/** Each advice in a sentence or two, for each direction of a session. `CREDIT` sends money to the payor. */
export const RETURN_REMEDIES: Readonly<
  Record<ReturnAdvice, Readonly<Record<SessionRequest['direction'], ReturnText>>>
> = {
  presentAgain: {
    DEBIT: {
      EN: 'Do not deliver yet. Collect the amount once more within thirty days, after asking the payor when the money will be there.',
      FR: 'Ne livrez pas encore. Demandez le montant une seule autre fois, dans les trente jours, quand le payeur dit que l’argent y sera.',
    },
    CREDIT: {
      EN: 'The payor did not get the money. This code is for debits: ask the payment service what happened, then pay the payor again under another key.',
      FR: 'Le payeur n’a pas reçu l’argent. Ce code vise les débits : demandez au service de paiement ce qui s’est passé, puis refaites le versement sous une autre clé.',
    },
  },
  askPayor: {
    DEBIT: {
      EN: 'Do not deliver. Ask the payor what is wrong, then open another session under another key.',
      FR: 'Ne livrez pas. Demandez au payeur ce qui ne va pas, puis ouvrez une autre session sous une autre clé.',
    },
    CREDIT: {
      EN: 'The payor did not get the money. Ask them what is wrong, then pay them again under another key.',
      FR: 'Le payeur n’a pas reçu l’argent. Demandez-lui ce qui ne va pas, puis refaites le versement sous une autre clé.',
    },
  },
  anotherPayment: {
    DEBIT: {
      EN: 'Do not deliver. This account cannot pay: ask the payor for another account, or for another kind of payment.',
      FR: 'Ne livrez pas. Ce compte ne peut pas payer : demandez au payeur un autre compte ou un autre mode de paiement.',
    },
    CREDIT: {
      EN: 'The payor did not get the money. This account cannot take it: ask them for another one, then pay them again under another key.',
      FR: 'Le payeur n’a pas reçu l’argent. Ce compte ne peut pas le recevoir : demandez-lui-en un autre, puis refaites le versement sous une autre clé.',
    },
  },
  stop: {
    DEBIT: {
      EN: 'Stop at once: do not deliver, and do not debit this account again. Keep the PAD agreement as evidence until the matter is settled.',
      FR: 'Arrêtez tout de suite : ne livrez pas et ne débitez plus ce compte. Gardez l’accord de débit préautorisé (DPA) comme preuve jusqu’au règlement du dossier.',
    },
    CREDIT: {
      EN: 'Stop at once: do not pay again until you know why the money was refused.',
      FR: 'Arrêtez tout de suite : ne payez plus avant de savoir pourquoi l’argent a été refusé.',
    },
  },
};

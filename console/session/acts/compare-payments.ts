import { isSessionCode } from '../../../src/contract';
import {
  isGuaranteeUntold,
  type AdoptPreview,
  type AskedPayment,
  type FoundPayment,
  type PaymentDifference,
} from '../../../src/protocol/adopt-preview';
import type { SessionSummary } from '../../../src/sessions';
import { html, type Html } from '../../../src/web/html';
import { formatMoney, type Language } from '../../../src/web/language';
import { badge, dataTable } from '../../../src/web/shell/parts';
import { moment, type Locale } from '../../../src/web/shell/time';
import { textsOf } from '../../texts';
import { shownReference } from '../personal-fields';

type Row = readonly [name: string, asked: Html | string, found: Html | string, comparison: Html | string];

/**
 * Compares a session's request with the payment service's session of another id, and marks differences in words. A reference
 * that the session's page masks is masked here, too, and so is another payment's. Whether they match is always shown.
 */
export function comparison(preview: AdoptPreview, summary: SessionSummary | undefined, locale: Locale): Html {
  const { language } = locale;
  const { asked, found, differences, untold = [] } = preview;
  if (found === undefined) return html``;
  const texts = textsOf(language).adopting;
  const { facts } = textsOf(language).session;
  const { columns } = texts;
  const startedAt = summary?.startedAt;
  const reference = (text: string | null) =>
    text === null ? facts.none : shownReference(text, summary?.referenceId);
  const judged = (field: PaymentDifference, same: boolean | undefined) =>
    untold.includes(field) && !differences.includes(field)
      ? badge(texts.notCompared, 'attention')
      : judgement(differences.includes(field) ? false : same, !differences.includes(field), language);
  const rows: readonly Row[] = [
    [
      facts.amount,
      asked.amount === undefined ? facts.payorEnters : formatMoney(asked.amount, language, asked.currency),
      moneyOf(found, language),
      judged('amount', sameAmount(asked, found)),
    ],
    [
      facts.kind,
      kindText(asked, language),
      isGuaranteeUntold(preview) ? texts.maybeGuaranteed : kindText(found, language),
      judged('type', same(asked.kind, found.kind ?? (found.type === asked.type ? undefined : found.type))),
    ],
    [
      facts.direction,
      asked.direction,
      found.direction ?? texts.notSaid,
      judged('direction', same(asked.direction, found.direction)),
    ],
    [
      facts.reference,
      reference(asked.referenceId),
      found.referenceId === undefined ? texts.notSaid : reference(found.referenceId),
      judged('referenceId', same(asked.referenceId, found.referenceId)),
    ],
    [texts.status, '', statusText(found, language), ''],
    [
      texts.created,
      startedAt === undefined ? '' : moment(startedAt.toISOString(), locale),
      found.createdAt === undefined ? texts.notSaid : moment(found.createdAt, locale),
      '',
    ],
  ];
  return dataTable(texts.compared, [columns.field, columns.asked, columns.found, columns.comparison], rows);
}

const same = (asked: unknown, found: unknown): boolean | undefined =>
  found === undefined ? undefined : asked === found;

/** An amount that the payor enters neither matches nor differs from another. */
const sameAmount = (asked: AskedPayment, found: FoundPayment): boolean | undefined =>
  asked.amount === undefined ? undefined : same(asked.amount, found.amount);

function judgement(isSame: boolean | undefined, isAllowed: boolean, language: Language): Html | string {
  const { agrees, differs, differsAllowed } = textsOf(language).adopting;
  if (isSame === undefined) return '';
  if (isSame) return badge(agrees, 'good');
  return isAllowed ? badge(differsAllowed, 'attention') : badge(differs, 'bad');
}

const moneyOf = ({ amount, currency }: FoundPayment, language: Language): string =>
  amount === undefined ? textsOf(language).adopting.notSaid : formatMoney(amount, language, currency);

const kindText = ({ kind, type }: AskedPayment | FoundPayment, language: Language): string =>
  kind === undefined ? (type ?? textsOf(language).adopting.notSaid) : textsOf(language).session.kinds[kind];

function statusText({ status, code, unreadableCode }: FoundPayment, language: Language): Html {
  const meaning = code !== undefined && isSessionCode(code) ? textsOf(language).codes[code] : undefined;
  return html`${status} ${code} ${unreadableCode && textsOf(language).adopting.unreadableCode}
  ${meaning !== undefined && html`<p>${meaning}</p>`}`;
}

import { isSessionCode } from '../../../src/contract';
import {
  isGuaranteeUntold,
  type AdoptPreview,
  type AskedPayment,
  type FoundPayment,
  type PaymentDifference,
} from '../../../src/protocol/adopt-preview';
import { html, type Html } from '../../../src/web/html';
import { formatMoney, type Language } from '../../../src/web/language';
import { badge, dataTable } from '../../../src/web/shell/parts';
import { moment, type Locale } from '../../../src/web/shell/time';
import { textsOf } from '../../texts';
import { searchable, searchableWords } from '../../../src/protocol/temporal/visibility';
import { shownReference } from '../personal-fields';
import { startedAtOf, type SessionView } from '../view';

/**
 * Compares a session's request with a session of the payment service, and marks each difference with a word. References that the session's
 * page masks are masked here, too. The reference of another payment is always masked. The results of the comparisons are still shown. A
 * kind, direction, status or code in an unknown form is shown as `unreadable`, because it may contain personal data.
 */
export function comparison(preview: AdoptPreview, view: SessionView, locale: Locale): Html {
  const { language } = locale;
  const { asked, found, differences, untold = [] } = preview;
  if (found === undefined) return html``;
  const texts = textsOf(language).adopting;
  const { facts } = textsOf(language).session;
  const directions: Readonly<Partial<Record<string, string>>> = textsOf(language).payments.directions;
  const { columns } = texts;
  const startedAt = startedAtOf(view);
  const reference = (text: string | null) =>
    text === null ? facts.none : shownReference(text, view.summary?.referenceId);
  // If the payor enters an amount, one of the two values is missing, and there is nothing to compare.
  const judged = (field: PaymentDifference, wanted: unknown, given: unknown) => {
    if (differences.includes(field)) return badge(texts.differs, 'bad');
    if (untold.includes(field)) return badge(texts.notCompared, 'attention');
    if (wanted === undefined || given === undefined) return '';
    return wanted === given ? badge(texts.agrees, 'good') : badge(texts.differsAllowed, 'attention');
  };
  const rows = [
    [
      facts.amount,
      asked.amount === undefined ? facts.payorEnters : formatMoney(asked.amount, language, asked.currency),
      found.amount === undefined ? texts.notSaid : formatMoney(found.amount, language, found.currency),
      judged('amount', asked.amount, found.amount),
    ],
    [
      facts.kind,
      kindText(asked, language),
      isGuaranteeUntold(preview) ? texts.maybeGuaranteed : kindText(found, language),
      judged('type', asked.kind, found.kind ?? (found.type === asked.type ? undefined : found.type)),
    ],
    [
      facts.direction,
      directions[asked.direction] ?? asked.direction,
      found.direction === undefined
        ? texts.notSaid
        : (directions[found.direction] ?? searchable(found.direction)),
      judged('direction', asked.direction, found.direction),
    ],
    [
      facts.reference,
      reference(asked.referenceId),
      found.referenceId === undefined ? texts.notSaid : reference(found.referenceId),
      judged('referenceId', asked.referenceId, found.referenceId),
    ],
    [texts.status, '', statusText(found, language), ''],
    [
      texts.created,
      startedAt === undefined ? '' : moment(startedAt, locale),
      found.createdAt === undefined ? texts.notSaid : moment(found.createdAt, locale),
      '',
    ],
  ];
  return dataTable(texts.compared, [columns.field, columns.asked, columns.found, columns.comparison], rows);
}

function kindText({ kind, type }: AskedPayment | FoundPayment, language: Language): string {
  if (kind !== undefined) return textsOf(language).session.kinds[kind];
  return type === undefined ? textsOf(language).adopting.notSaid : searchable(type);
}

function statusText({ status, code, unreadableCode }: FoundPayment, language: Language): Html {
  const meaning = code !== undefined && isSessionCode(code) ? textsOf(language).codes[code] : undefined;
  return html`${searchableWords(status, code).join(' ')}
  ${unreadableCode && textsOf(language).adopting.unreadableCode}
  ${meaning !== undefined && html`<p>${meaning}</p>`}`;
}

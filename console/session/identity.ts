import { isSessionId } from '../../src/contract/identity';
import type { SessionRequest } from '../../src/contract/session-request';
import { CUSTOMER, type Metadata } from '../../src/protocol/metadata';
import { DEFAULT_ACCOUNT } from '../../src/protocol/names';
import { html, type Html } from '../../src/web/html';
import { formatMoney, type Language } from '../../src/web/language';
import { moment, type Locale } from '../../src/web/shell/time';
import { copyable, type Fact } from '../../src/web/shell/parts';
import { customerLink, explainedReturn } from '../page';
import { textsOf } from '../texts';
import { startedAtOf, type SessionView } from './view';
import { isSessionKind } from '../../src/contract/statuses';
import { namedSession } from '../../src/protocol/decisions';
import { MASK } from './personal-fields';
import { dayOf } from '../../src/contract/values/day';

/** Returns the facts that identify the session's payment, on each of its pages. */
export function identityFacts(view: SessionView, language: Language): readonly Fact[] {
  const {
    session: { facts, kinds },
    payments: { directions },
  } = textsOf(language);
  const { known, summary } = view;
  const direction = directionOf(view);
  const kind = known?.state.kind ?? summary?.kind;
  return [
    [facts.amount, amountOf(view, language)],
    [facts.direction, direction && directions[direction]],
    [facts.kind, kind !== undefined && isSessionKind(kind) ? kinds[kind] : (kind ?? facts.unknown)],
    [facts.reference, referenceOf(view, language)],
    [facts.customer, customerOf(view)],
    [facts.account, accountOf(view) ?? facts.unknown],
  ];
}

/** Renders a link to the customer's payments. If no ledger has answered, the link leads to the customer's sessions. */
function customerOf(view: SessionView): Html | undefined {
  const customer = shownMetadataOf(view)?.[CUSTOMER];
  const isListed = view.listed !== undefined || view.money !== undefined;
  return customer === undefined ? undefined : customerLink(customer, isListed ? 'payments' : 'sessions');
}

/** Returns the searchable metadata, which every reader may see. */
export const shownMetadataOf = ({ summary, listed }: SessionView): Metadata | undefined =>
  summary?.metadata ?? listed?.metadata;

/**
 * Returns the direction of the money. Returns `undefined` if the workflow's input cannot be read and the ledger does not know the payment.
 */
export function directionOf({ stored, listed, money }: SessionView): SessionRequest['direction'] | undefined {
  return stored?.input?.request.direction ?? listed?.direction ?? money?.direction;
}

/** Returns the payment's account. Returns `undefined` if the workflow's input and the ledger's entry both cannot be read. */
export function accountOf({ stored, listed }: SessionView): string | undefined {
  return stored?.input ? (stored.input.account ?? DEFAULT_ACCOUNT) : listed?.account;
}

/** Returns the session's times and its ids at the payment service. */
export function furtherFacts(view: SessionView, locale: Locale): readonly Fact[] {
  const { known, summary, listed } = view;
  const { facts } = textsOf(locale.language).session;
  const startedAt = startedAtOf(view);
  const endedAt = summary?.endedAt?.toISOString() ?? listed?.endedAt;
  // A viewer sees only the start of an id. It has no button to copy it, because it is of no use elsewhere.
  const shown = (id: string, name: string) => (isSessionId(id) ? copyable(id, name, locale.language) : id);
  const idFact = (name: string, id: string | undefined): Fact => [
    name,
    id === undefined ? undefined : html`<code>${shown(id, name)}</code>`,
  ];
  return [
    [facts.started, startedAt && moment(startedAt, locale)],
    [facts.ended, endedAt && moment(endedAt, locale)],
    idFact(facts.sessionId, known?.state.sessionId),
    idFact(facts.named, known && namedSession(known.state)),
  ];
}

/** Returns the facts about the session's money, from the ledger. */
export function moneyFacts({ money }: SessionView, locale: Locale): readonly Fact[] {
  const { language } = locale;
  const { facts } = textsOf(language).session;
  const { settled, returned, handled } = money ?? {};
  return [
    [facts.settled, settled && amountAndDay(settled, language)],
    [
      facts.returned,
      returned && html`${amountAndDay(returned, language)} ${explainedReturn(returned.code, language)}`,
    ],
    [
      facts.handled,
      handled &&
        html`${moment(handled.at, locale)}${handled.by !== undefined && ` (${handled.by})`}
        ${handled.reason !== undefined && html`<br />${handled.reason}`}`,
    ],
  ];
}

/** Renders an amount and its day. There is no time of day, because reconciliation files have none. */
function amountAndDay(
  { at, amount }: { readonly at: string; readonly amount: number },
  language: Language,
): Html {
  const day = dayOf(at);
  return html`${formatMoney(amount, language)}, <time datetime="${day}">${day}</time>`;
}

function amountOf({ known, stored }: SessionView, language: Language): string {
  const { facts } = textsOf(language).session;
  const request = stored?.input?.request;
  const amount = known?.state.amount ?? request?.amount;
  if (typeof amount === 'number') return formatMoney(amount, language);
  return known === undefined && request === undefined ? facts.unknown : facts.payorEnters;
}

/**
 * Returns the reference if every reader may see it. A session's policy can keep the reference out of Temporal's index and of the ledger's
 * lists.
 */
export const shownReferenceOf = ({ summary, listed }: SessionView): string | undefined =>
  summary?.referenceId ?? listed?.referenceId;

function referenceOf(view: SessionView, language: Language): Html | string {
  const { known, stored } = view;
  const { facts } = textsOf(language).session;
  const request = stored?.input?.request;
  const reference = known === undefined ? request?.referenceId : known.state.referenceId;
  const shown = shownReferenceOf(view);
  if (shown !== undefined) return copyable(shown, facts.reference, language);
  if (reference != null) return MASK;
  return known === undefined && request === undefined ? facts.unknown : facts.none;
}

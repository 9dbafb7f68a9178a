import { PROBLEMS, type SessionProblem } from '../../src/protocol/state/problems';
import { standingOf, STANDINGS, type Standing } from '../../src/protocol/state/standing';
import type { Poller, UnreadMoney } from '../../src/sessions';
import { html, type Html } from '../../src/web/html';
import { formatCount, LOCALES, type Language, type InLanguage, type Message } from '../../src/web/language';
import { buttonLink } from '../../src/web/shell/forms';
import { badge, dataTable, emptyState, facts, notice, numeric, section } from '../../src/web/shell/parts';
import { ago } from '../../src/web/shell/time';
import type { ReaderLocale } from '../access/reader';
import { sessionTable } from '../sessions/session-table';
import { addressOfFilter } from '../sessions/session-query';
import { textsOf, type Texts } from '../texts';
import { explainedCode } from '../page';
import { moneyPart } from './money-part';
import type { EndsToday } from './ends-today';
import type { MoneyDays } from './money-days';
import { LATE, WAITING } from '../payments/payment-query';
import { paymentTable } from '../payments/payment-table';
import type {
  Overviewed,
  OpenMoney,
  ReturnsWaiting,
  TroubledAccounts,
  LastCompleted,
} from './overview-figures';
import { barChart } from './charts';

interface Words {
  readonly locale: ReaderLocale;
  readonly language: Language;
  readonly texts: Texts['overview'];
  readonly count: (count: number) => string;
}

/** Renders the parts of the overview. Parts that need attention come first. */
export function overviewContent(shown: Overviewed, locale: ReaderLocale): Html {
  const { language } = locale;
  const texts = textsOf(language).overview;
  const words: Words = { locale, language, texts, count: (count) => formatCount(count, language) };
  const counted = <T>(title: string, value: T | undefined, show: (value: T, words: Words) => Html) =>
    section(title, value === undefined ? stillCounting(words) : show(value, words));
  const { money, completed } = shown;
  return html`${section(texts.parked.title, waitingPart(shown, words))}
    ${counted(texts.accounts.title, shown.accounts, accountsPart)}
    ${counted(texts.problems.title, shown.problems, problemsPart)}
    ${money && counted(texts.money.title, money === 'counting' ? undefined : money, moneySection)}
    <div class="columns">
      ${counted(texts.open.title, shown.ages, agesPart)}
      ${counted(texts.ends.title(locale.timeZone), shown.ends, endsPart)}
      ${counted(texts.opening.title, completed, openingPart)}
      ${counted(texts.delay.title, completed, delayPart)}
    </div>
    ${section(texts.workers.title, workersPart(shown, words))}`;
}

const stillCounting = ({ texts }: Words): Html => html`<p class="soft">${texts.counting}</p>`;

/** Renders the ledger's figures. If they cannot be read, renders the reason: the ledger may be down while Temporal answers. */
function moneySection(money: MoneyDays | UnreadMoney, words: Words): Html {
  return isUnread(money)
    ? awayPart(money, words.texts.money.away.body, words)
    : moneyPart(money, words.locale);
}

const isUnread = (figure: object | 'counting' | undefined): figure is UnreadMoney =>
  typeof figure === 'object' && 'unread' in figure;

function awayPart({ unread }: UnreadMoney, missing: string, { texts, language }: Words): Html {
  return notice(
    'bad',
    texts.money.away.heading,
    html`<p>${explainedCode(unread, language)}</p>
      <p>${missing}</p>`,
  );
}

const empty = ({ heading, body }: InLanguage<Message>): Html => emptyState(heading, body);

/**
 * Renders everything that waits for an operator: parked sessions, returns, late money and unmatched lines. The text “nothing waits” appears
 * only once all four are known.
 */
function waitingPart(shown: Overviewed, words: Words): Html {
  const { parked, late: lateTexts, lines: linesTexts } = words.texts;
  const figures = [shown.returns, shown.open];
  const unread = figures.find(isUnread);
  const isCounting = figures.includes('counting');
  const returns = knownOr<ReturnsWaiting>(shown.returns, { payments: [], count: 0 });
  const { late, lines } = knownOr<OpenMoney>(shown.open, { late: 0, lines: 0 });
  const isAllKnown = unread === undefined && !isCounting;
  if (isAllKnown && shown.parked.sessions.length === 0 && returns.count + late + lines === 0)
    return empty(parked.none);
  return html`${unread && awayPart(unread, parked.unread, words)} ${parkedPart(shown, words)}
  ${returns.count > 0 && returnsPart(returns, words)}
  ${late > 0 && openPart(lateTexts, late, `/payments?money=${LATE}`, words)}
  ${lines > 0 && openPart(linesTexts, lines, '/reconciliation', words)} ${isCounting && stillCounting(words)}`;
}

/** Returns the ledger's figure. If it is not known, returns `otherwise`. */
const knownOr = <T extends object>(figure: T | UnreadMoney | 'counting' | undefined, otherwise: T): T =>
  typeof figure !== 'object' || isUnread(figure) ? otherwise : figure;

/** Renders one group of waiting things: their number, what to do, and the link to their list. */
function openPart(
  { what, remedy, all }: Words['texts']['late' | 'lines'],
  count: number,
  href: string,
  words: Words,
): Html {
  return html`${notice('attention', what(words.count(count)), remedy)} ${buttonLink(all, href)}`;
}

function returnsPart({ payments, count: total }: ReturnsWaiting, { texts, locale, count }: Words): Html {
  const { returned, returnedRemedy, allReturned } = texts.parked;
  return html`${notice('attention', returned(count(total)), returnedRemedy)} ${paymentTable(payments, locale)}
  ${total > payments.length && buttonLink(allReturned, `/payments?money=${WAITING}`)}`;
}

function parkedPart({ parked: { sessions, next }, parkedCount, payments }: Overviewed, words: Words): Html {
  const { texts, locale, count } = words;
  if (sessions.length === 0) return html``;
  const total = Math.max(parkedCount ?? 0, sessions.length);
  return html`${notice('attention', texts.parked.what(count(total)), texts.parked.remedy)}
  ${sessionTable(sessions, locale, { label: texts.parked.title, payments })}
  ${next && buttonLink(texts.parked.all, addressOfFilter({ phase: 'parked' }))}`;
}

function accountsPart({ accounts, ofNewest }: TroubledAccounts, words: Words): Html {
  const { texts, locale, count } = words;
  const { columns, what, first, none } = texts.accounts;
  if (accounts.length === 0) return empty(none);
  return html`<p>${what}</p>
    ${dataTable(
      texts.accounts.title,
      [columns.account, numeric(columns.failing), numeric(columns.open), columns.oldest],
      accounts.map(({ account, failing, open, oldest }) => [
        html`<a href="${addressOfFilter({ problem: 'serviceFailing', account })}">${account}</a>`,
        html`${badge(count(failing), 'bad')}`,
        count(open),
        ago(oldest.toISOString(), locale, thisMinute()),
      ]),
    )}
    ${ofNewest !== undefined && html`<p class="soft">${first(count(ofNewest))}</p>`}`;
}

/**
 * Returns the start of the current minute. Ages are computed from it, so that they change the page at most once a minute. In the browser,
 * the script keeps them up to date.
 */
const thisMinute = (): number => Math.floor(Date.now() / 60_000) * 60_000;

/** Problems that are shown in parts of their own. */
const ELSEWHERE: readonly string[] = ['parked', 'serviceFailing'];

function problemsPart(problems: ReadonlyMap<string, number>, { texts, language, count }: Words): Html {
  const { problems: words } = textsOf(language);
  const present = (Object.keys(PROBLEMS) as SessionProblem[]).filter(
    (problem) => !ELSEWHERE.includes(problem) && (problems.get(problem) ?? 0) > 0,
  );
  if (present.length === 0) return empty(texts.problems.none);
  return facts(
    present.map((problem) => [
      words[problem].name,
      html`<a href="${addressOfFilter({ problem })}"
          >${badge(count(problems.get(problem) ?? 0), 'attention')}</a
        >
        ${words[problem].remedy}`,
    ]),
  );
}

function agesPart(ages: readonly number[], { texts, count }: Words): Html {
  if (ages.every((value) => value === 0)) return empty(texts.open.none);
  return barChart(
    texts.open.title,
    ages.map((value, index) => ({
      text: texts.open.ages[index] ?? '',
      value,
      shown: count(value),
      tone: index === ages.length - 1 ? 'attention' : 'busy',
    })),
  );
}

function endsPart({ groups, neverCreated }: EndsToday, { texts, language, count }: Words): Html {
  const { standings, session } = textsOf(language);
  const bar = (standing: Standing, value: number, detail?: string) => ({
    text: [standings[standing].heading, detail].filter((part) => part !== undefined).join(', '),
    value,
    shown: count(value),
    tone: STANDINGS[standing],
  });
  const bars = groups.map(({ count: value, ...group }) => {
    const { status, code, kind, unverified } = group;
    return {
      ...bar(standingOf({ ...group, phase: 'ended' }), value, code ?? (kind && session.kinds[kind])),
      href: addressOfFilter({ phase: 'ended', status, code, kind, problem: unverified && 'unverifiedEnd' }),
    };
  });
  const failed = neverCreated === 0 ? [] : [bar('neverOpened', neverCreated)];
  if (bars.length + failed.length === 0) return empty(texts.ends.none);
  return barChart(texts.ends.bars, [...bars, ...failed]);
}

function openingPart({ opening }: LastCompleted, words: Words): Html {
  const { longest, none } = words.texts.opening;
  return opening.length === 0 ? empty(none) : timesPart(opening, [longest, 1], words);
}

function delayPart({ delays }: LastCompleted, words: Words): Html {
  const { most, atMost, none } = words.texts.delay;
  return delays.length === 0 ? empty(none) : timesPart(delays, [most, 0.95], words, atMost);
}

/** Shows the median of the sorted times, and a percentile: the time within which the given share of them lies. */
function timesPart(
  times: readonly number[],
  [text, share]: readonly [text: string, share: number],
  { texts, language }: Words,
  note = '',
): Html {
  const quantile = (at: number) => briefly(times[Math.ceil(times.length * at) - 1] ?? 0, language);
  return html`${facts([
      [texts.times.median, quantile(0.5)],
      [text, quantile(share)],
    ])}
    <p class="soft">${texts.times.sample(String(times.length))} ${note}</p>`;
}

/** Formats a duration, in milliseconds if it is below a second. */
function briefly(ms: number, language: Language): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const maximumFractionDigits = ms < 10_000 ? 1 : 0;
  const format = new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits });
  return `${format.format(ms / 1_000)} s`;
}

function workersPart({ workers, hasWorker = true }: Overviewed, { texts, locale }: Words): Html {
  const { title, columns, states, idle, none, silent, notCurrent } = texts.workers;
  const known = workers.map((worker) => ({ ...worker, state: stateOf(worker, hasWorker) }));
  const there = workers.filter(({ recent }) => recent);
  const isCurrent = there.some(({ getsSessions }) => getsSessions);
  const words = there.length === 0 ? none : isCurrent ? silent : notCurrent;
  const absent = isCurrent && hasWorker ? undefined : notice('bad', words.heading, words.body);
  if (workers.length === 0) return absent ?? html``;
  return html`${absent}
  ${dataTable(
    title,
    [columns.worker, columns.state, columns.polled],
    known.map(({ identity, state, polledAtMs }) => [
      html`<code>${identity}</code>`,
      badge(states[state], state === 'active' ? 'good' : 'quiet'),
      ago(new Date(polledAtMs).toISOString(), locale, someSecondsAgo()),
    ]),
  )}
  ${known.some(({ state }) => state === 'idle') && html`<p class="soft">${idle}</p>`}`;
}

/** The time, in milliseconds, without a poll after which a worker counts as idle. A busy worker polls its task queue continuously. */
const IDLE_AFTER_MS = 10_000;

/** Returns the current time, rounded down to ten seconds. Ages in seconds are computed from it, for the reason given at `thisMinute`. */
const someSecondsAgo = (): number => Math.floor(Date.now() / IDLE_AFTER_MS) * IDLE_AFTER_MS;

/**
 * Returns a worker's state. For two minutes, a killed worker looks like a worker without work. Only if no worker answers is it clear that
 * the worker is lost.
 */
function stateOf(
  { recent, polledAtMs, getsSessions }: Poller,
  hasWorker: boolean,
): 'active' | 'idle' | 'silent' | 'notCurrent' {
  if (recent && !getsSessions) return 'notCurrent';
  if (!recent || !hasWorker) return 'silent';
  return Date.now() - polledAtMs < IDLE_AFTER_MS ? 'active' : 'idle';
}

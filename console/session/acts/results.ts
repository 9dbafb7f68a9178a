import { dropOldest } from '../../../src/contract/values/drop-oldest';
import type { CancelOutcome } from '../../../src/protocol/state/recorded';
import { html, type Html } from '../../../src/web/html';
import type { Language } from '../../../src/web/language';
import { notice, type Tone } from '../../../src/web/shell/parts';
import { explainedCode } from '../../page';
import { textsOf, type Texts } from '../../texts';
import type { ActOrder, ActResult } from './perform';

/** An action and its result. */
interface Performed extends Pick<ActOrder, 'act'> {
  readonly result: ActResult;
}

/** The maximum number of results to keep. This is enough, because the page after an action reads the result immediately. */
const MAX_REMEMBERED = 1_000;

/** Stores the results of the latest actions, by session and form id. The page after an action reads its result here. */
export class ActResults {
  readonly #results = new Map<string, Performed>();

  set(key: string, once: string, performed: Performed): void {
    this.#results.set(idOf(key, once), performed);
    dropOldest(this.#results, MAX_REMEMBERED);
  }

  get(key: string, once: string): Performed | undefined {
    return this.#results.get(idOf(key, once));
  }
}

const idOf = (key: string, once: string): string => `${once} ${key}`;

/** Describes the result of an action. */
export function doneNotice(performed: Performed, language: Language): Html {
  const { act, result } = performed;
  const texts = textsOf(language);
  const { done, name } = texts.acts[act];
  if (result === 'applied') return said('good', done, html``);
  const { tone, words } = shownResult(performed, language);
  if (act === 'cancel') return said(tone, done, html`<p>${words}</p>`);
  const stays = act === 'adopt' && STAYS_PARKED.includes(result) && html`<p>${texts.acting.staysParked}</p>`;
  return said(
    'bad',
    name,
    html`<p>${words}</p>
      ${stays}`,
  );
}

/** Refusals of an adoption after which the session certainly still waits for a decision. */
const STAYS_PARKED: readonly ActResult[] = [
  'SESSION_MISMATCH',
  'SESSION_FOLLOWED',
  'SESSION_MAYBE_FOLLOWED',
  'SERVICE_SESSION_UNKNOWN',
];

/**
 * Returns the tone and the words of an action's result. The result `CREATE_OUTCOME_UNKNOWN` of a cancellation is not an error: the session
 * waits for a decision and keeps the cancellation.
 */
export function shownResult({ act, result }: Performed, language: Language): Shown {
  const texts = textsOf(language);
  return act === 'cancel' && result === 'CREATE_OUTCOME_UNKNOWN'
    ? { tone: 'attention', words: html`${texts.acting.cancelKept}` }
    : { tone: toneOfResult(result), words: resultWords(result, texts, language) };
}

interface Shown {
  readonly tone: Tone;
  readonly words: Html;
}

/** Results that the operator intended. */
const GOOD: readonly ActResult[] = ['applied', 'cancelled', 'neverCreated'];

/**
 * Returns the tone of a result: good if it was intended, attention for any other outcome of a cancellation, and bad for everything else.
 */
function toneOfResult(result: ActResult): Tone {
  if (GOOD.includes(result)) return 'good';
  return result === 'CANCEL_PENDING' || isCancelOutcome(result) ? 'attention' : 'bad';
}

const said = (tone: Tone, heading: string, body: Html): Html =>
  html`<div role="status">${notice(tone, heading, body)}</div>`;

/** Describes the outcome of a decision. */
export function resultWords(result: ActResult, texts: Texts, language: Language): Html {
  if (result === 'applied') return html`${texts.acting.applied}`;
  if (result === 'pending') return html`${texts.acting.pending}`;
  return isCancelOutcome(result) ? html`${texts.acting.outcomes[result]}` : explainedCode(result, language);
}

const isCancelOutcome = (result: string): result is CancelOutcome =>
  Object.hasOwn(textsOf('EN').acting.outcomes, result);

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

/** The number of results kept: the page after an action is read at once. */
const MAX_REMEMBERED = 1_000;

/** Stores the results of the latest actions, by session and form id, for the page after each action. */
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
export function doneNotice({ act, result }: Performed, language: Language): Html {
  const texts = textsOf(language);
  const { done, name } = texts.acts[act];
  if (result === 'applied') return said('good', done, html``);
  const words = resultWords(result, texts, language);
  if (act === 'cancel') {
    if (result === 'CREATE_OUTCOME_UNKNOWN') return said('attention', done, html`${texts.acting.cancelKept}`);
    return said(toneOfResult(result), done, words);
  }
  const stays = act === 'adopt' && html`<p>${texts.acting.staysParked}</p>`;
  return said('bad', name, html`${words} ${stays}`);
}

/** The intended results. */
const GOOD: readonly ActResult[] = ['applied', 'cancelled', 'neverCreated'];

/** Returns the tone of a result. Any other outcome of a cancel needs attention. Other errors are bad. */
export function toneOfResult(result: ActResult): Tone {
  if (GOOD.includes(result)) return 'good';
  return result === 'CANCEL_PENDING' || isCancelOutcome(result) ? 'attention' : 'bad';
}

const said = (tone: Tone, heading: string, body: Html): Html =>
  html`<div role="status">${notice(tone, heading, html`<p>${body}</p>`)}</div>`;

/** Describes the outcome of a decision. */
export function resultWords(result: ActResult, texts: Texts, language: Language): Html {
  if (result === 'applied') return html`${texts.acting.applied}`;
  if (result === 'pending') return html`${texts.acting.pending}`;
  return isCancelOutcome(result) ? html`${texts.acting.outcomes[result]}` : explainedCode(result, language);
}

const isCancelOutcome = (result: string): result is CancelOutcome =>
  Object.hasOwn(textsOf('EN').acting.outcomes, result);

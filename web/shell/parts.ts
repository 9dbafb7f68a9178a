import { html, type Html } from '../html';
import { shapeOf, type Tone } from './tone';

/** A state in a word or two. */
export const badge = (text: string, tone: Tone): Html =>
  html`<span class="badge ${tone}">${shapeOf(tone)}${text}</span>`;

/** What is known of a thing, as pairs of a name and a value. */
export const facts = (pairs: readonly (readonly [name: string, value: Html | string])[]): Html =>
  html`<dl class="facts">
    ${pairs.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;

/** What the reader should know first: what it is, and what to do about it. */
export const notice = (tone: Tone, heading: string, body: Html | string): Html =>
  html`<div class="notice ${tone}">
    <p class="heading">${shapeOf(tone)}${heading}</p>
    <div class="body">${paragraph(body)}</div>
  </div>`;

/** Where there is nothing: what is good about that, or what to do to have something. */
export const emptyState = (heading: string, body: Html | string): Html =>
  html`<div class="empty">
    <p class="heading">${heading}</p>
    ${paragraph(body)}
  </div>`;

/** What opens when it is asked for, such as the form of an act, which thereby takes a second step. */
export const disclosure = (summary: string, body: Html): Html =>
  html`<details class="disclosure">
    <summary>${summary}</summary>
    <div class="inside">${body}</div>
  </details>`;

const paragraph = (body: Html | string): Html => (typeof body === 'string' ? html`<p>${body}</p>` : body);

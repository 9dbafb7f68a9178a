import { html, type Html } from '../html';

interface Labelled {
  /** The field's name, which is also its id. */
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** The problem with the value that was sent. */
  readonly error?: string;
  readonly maxLength?: number;
}

export interface SelectField extends Labelled {
  readonly options: readonly { readonly value: string; readonly text: string }[];
}

/** Returns a text field of one line. */
export const field = (
  of: Labelled & { readonly type?: 'text' | 'search' | 'date' | 'datetime-local' },
): Html => labelled(of, html`<input type="${of.type ?? 'text'}" value="${of.value ?? ''}" ${common(of)} />`);

/** Returns a field in which the user chooses a file. */
export const fileField = (of: Labelled & { readonly accept: string }): Html =>
  labelled(of, html`<input type="file" accept="${of.accept}" ${common(of)} />`);

/** Returns a text field of several lines. Adds a line break at the start, because browsers drop the first line break. */
export const textArea = (of: Labelled): Html =>
  labelled(of, html`<textarea rows="2" ${common(of)}>${'\n'}${of.value}</textarea>`);

/** Returns a field with a list of choices. */
export const selectField = (of: SelectField): Html =>
  labelled(
    of,
    html`<select ${common(of)}>
      ${of.options.map(
        ({ value, text }) =>
          html`<option value="${value}" ${value === of.value && html`selected`}>${text}</option>`,
      )}
    </select>`,
  );

/**
 * The kind of a button. `second` is for a button next to a primary button, `danger` is for an action that cannot be
 * undone, and `plain` looks like a link.
 */
export type ButtonKind = 'primary' | 'second' | 'danger' | 'plain';

/**
 * Returns a button that sends its form. If the form has several buttons, `sends` is the field that shows which button was
 * used.
 */
export const button = (
  text: string,
  kind: ButtonKind = 'primary',
  sends?: { readonly name: string; readonly value: string },
): Html =>
  html`<button class="button ${kind}" ${sends && html`name="${sends.name}" value="${sends.value}"`}>
    ${text}
  </button>`;

/** Returns a link that looks like a button. */
export const buttonLink = (text: string, href: string, kind: ButtonKind = 'second'): Html =>
  html`<a class="button ${kind}" href="${href}">${text}</a>`;

/** Returns a hidden field. */
export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

function labelled({ name, label, hint, error }: Labelled, control: Html): Html {
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${control} ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
  </div>`;
}

function common({ name, hint, error, maxLength, required = false }: Labelled): Html {
  const described = [hint !== undefined && `${name}-hint`, error !== undefined && `${name}-error`]
    .filter((id) => id !== false)
    .join(' ');
  return html`id="${name}" name="${name}" ${required && html`required`}
  ${maxLength !== undefined && html`maxlength="${maxLength}"`}
  ${described !== '' && html`aria-describedby="${described}"`}
  ${error !== undefined && html`aria-invalid="true"`}`;
}

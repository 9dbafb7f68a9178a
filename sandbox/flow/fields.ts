import { html, type Html } from '../../src/web/html';
import type { FieldName } from './steps';

export interface TextField {
  readonly name: FieldName | 'password';
  readonly label: string;
  readonly value?: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly type?: 'text' | 'password';
  readonly autocomplete: string;
  readonly inputMode?: 'text' | 'decimal';
}

/** Returns a labelled text field. A screen reader also reads the field's hint and error. */
export function textField({
  name,
  label,
  value,
  hint,
  error,
  type,
  autocomplete,
  inputMode,
}: TextField): Html {
  const hintId = `${name}-hint`;
  const errorId = `${name}-error`;
  const describedBy = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for="${name}">${label}</label>
    ${hint !== undefined && html`<p class="soft" id="${hintId}">${hint}</p>`}
    <input
      id="${name}"
      name="${name}"
      type="${type ?? 'text'}"
      value="${value ?? ''}"
      autocomplete="${autocomplete}"
      inputmode="${inputMode ?? 'text'}"
      maxlength="200"
      ${described(describedBy, error)}
    />
    ${errorLine(errorId, error)}
  </div>`;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly note?: string;
}

export interface Choices {
  readonly name: FieldName;
  readonly legend: string;
  readonly choices: readonly Choice[];
  readonly chosen?: string | undefined;
  readonly error?: string | undefined;
}

/** Returns radio buttons. The first one has the field's id, so that a link in the list of problems leads to it. */
export function radios({ name, legend, choices, chosen, error }: Choices): Html {
  const errorId = `${name}-error`;
  return html`<fieldset ${error !== undefined && html`aria-describedby="${errorId}"`}>
    <legend>${legend}</legend>
    ${errorLine(errorId, error)}
    ${choices.map(
      ({ value, label, note }, index) =>
        html`<label class="choice"
          ><input
            type="radio"
            id="${index === 0 ? name : `${name}-${value}`}"
            name="${name}"
            value="${value}"
            ${value === chosen && html`checked`}
          /><span>${label}${note !== undefined && html`<small>${note}</small>`}</span></label
        >`,
    )}
  </fieldset>`;
}

/** Returns a box to tick. */
export function checkbox(name: FieldName, label: string, error: string | undefined, checked: boolean): Html {
  const errorId = `${name}-error`;
  return html`<div class="field">
    <label class="choice"
      ><input
        type="checkbox"
        id="${name}"
        name="${name}"
        value="yes"
        ${checked && html`checked`}
        ${described(error === undefined ? '' : errorId, error)}
      /><span>${label}</span></label
    >
    ${errorLine(errorId, error)}
  </div>`;
}

/** Returns attributes that connect a field with its hint and error. */
function described(describedBy: string, error: string | undefined): Html {
  return html`${describedBy !== '' && html`aria-describedby="${describedBy}"`}
  ${error !== undefined && html`aria-invalid="true"`}`;
}

const errorLine = (id: string, error: string | undefined): Html =>
  html`${error !== undefined && html`<p class="error" id="${id}">${error}</p>`}`;

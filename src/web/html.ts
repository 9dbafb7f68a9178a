/** A text that is already HTML, and is not escaped again. */
export class Html {
  constructor(readonly text: string) {}
}

/**
 * A value in a template. Text and numbers are escaped, HTML is not. `false`, `null` and `undefined` insert
 * nothing.
 */
export type Insert = string | number | Html | readonly (Html | false)[] | false | null | undefined;

/**
 * Makes HTML from a template. Escapes every inserted value that is not HTML. The result is also safe inside
 * quoted attributes.
 */
export function html(literals: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const text = literals.map((literal, index) => literal + render(inserts[index])).join('');
  return new Html(text);
}

function render(insert: Insert): string {
  if (insert === false || insert == null) return '';
  if (insert instanceof Html) return insert.text;
  if (typeof insert === 'object') return insert.map(render).join('');
  return String(insert).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

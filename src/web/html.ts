/** Text that is already HTML. */
export class Html {
  constructor(readonly text: string) {}
}

/** An insert of a template: text, which is escaped; HTML, which is not; or nothing. */
export type Insert = string | number | Html | readonly (Html | false)[] | false | null | undefined;

/** Makes HTML from a template. Escapes every insert that is not HTML itself, also inside quoted attributes. */
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

/** A piece of HTML. Any other text is escaped before it becomes a part of a page. */
export class Html {
  constructor(readonly text: string) {}
}

type Insert = string | number | Html | readonly Html[] | false | undefined;

/** Template tag for HTML. Escapes each insert that is not an `Html`. Inserts are also safe in quoted attributes. */
export function html(literals: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  return new Html(literals.map((literal, index) => literal + render(inserts[index])).join(''));
}

function render(insert: Insert): string {
  if (insert === false || insert === undefined) return '';
  if (insert instanceof Html) return insert.text;
  if (typeof insert === 'object') return insert.map(({ text }) => text).join('');
  return String(insert).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

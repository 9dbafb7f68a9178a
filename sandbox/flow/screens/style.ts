import { COLOURS } from '../../../web/shell/colours';

/** The style of all pages, inline, so that a page is one request. */
export const STYLE = `${COLOURS}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, "Liberation Sans", sans-serif; }
main { max-width: 32rem; margin: 0 auto; padding: 1rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; }
.card > :last-child { margin-bottom: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 0 0 .5rem; }
p, ul, dl, fieldset { margin: 0 0 1rem; }
ul { padding-left: 1.25rem; }
.merchant { font-weight: 700; margin: 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .875rem; margin: 0; }
.summary { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; padding: .75rem 0; margin: 0 0 1rem;
  border: solid var(--line); border-width: 1px 0; }
.summary dt { color: var(--soft); }
.summary dd { margin: 0; text-align: right; font-weight: 600; overflow-wrap: anywhere; }
fieldset { border: 0; padding: 0; min-width: 0; }
legend, label { font-weight: 600; padding: 0; }
.choice { display: flex; gap: .75rem; align-items: center; min-height: 3rem; padding: .5rem .75rem; margin-top: .5rem;
  border: 1px solid var(--edge); border-radius: .5rem; font-weight: 400; cursor: pointer; }
.choice:has(:checked) { border-color: var(--accent); background: var(--tint); }
.choice > input { width: 1.25rem; height: 1.25rem; flex: none; margin: 0; accent-color: var(--accent); }
.choice > span { flex: 1; min-width: 0; }
.choice small { display: block; color: var(--soft); font-size: .875rem; }
.field { margin: 0 0 1rem; }
.field > input { display: block; width: 100%; min-height: 3rem; padding: .5rem .75rem; margin-top: .375rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; }
.field > input[aria-invalid] { border-color: var(--danger); border-width: 2px; }
.error { color: var(--danger); margin: .25rem 0 0; font-weight: 600; }
.problems { border: 2px solid var(--danger); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; }
.problems ul { margin: 0; }
.problems a { color: var(--danger); }
.notice { border-left: .25rem solid var(--accent); background: var(--tint); padding: .5rem .75rem; }
.hint { border: 1px dashed var(--edge); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0 0; font-size: .875rem; }
.hint dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem .75rem; margin: 0 0 .5rem; }
.hint dd { margin: 0; }
.hint p { margin: 0; }
code { font-family: ui-monospace, "Liberation Mono", monospace; }
.actions { display: flex; flex-direction: column; gap: .5rem; }
.button { display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem; }
.button.second { color: var(--accent); background: var(--card); }
.button.quiet { color: var(--soft); background: none; border-color: transparent; text-decoration: underline; font-weight: 400; }
.button:hover { filter: brightness(.93); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
a { color: var(--accent); }
footer { padding: .75rem .25rem; }
[aria-busy] .button { opacity: .6; }
`;

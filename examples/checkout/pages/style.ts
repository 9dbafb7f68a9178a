/** The style of all pages. Contrasts are 4.5:1 or more. */
export const STYLE = `
:root { color-scheme: light; --ink: #22201d; --soft: #625b52; --line: #d8cfc2; --accent: #7a3d12; --paper: #faf6ef;
  --good: #1d6b3a; --bad: #a3201a; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, "Liberation Sans", sans-serif; }
header, main { max-width: 66rem; margin: 0 auto; padding: 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; justify-content: space-between; }
header a { color: var(--ink); font: 600 1.25rem/1.5 Georgia, "Liberation Serif", serif; text-decoration: none; }
header p, .soft { color: var(--soft); font-size: .875rem; margin: 0; }
h1 { font: 600 1.75rem/1.25 Georgia, "Liberation Serif", serif; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere; }
code { font-family: ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
.card { background: #fff; border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; min-width: 0; }
.products { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr)); }
.products .card, .product { display: flex; flex-direction: column; gap: .5rem; }
.products svg, .product svg { width: 100%; border-radius: .5rem; display: block; }
.price { font-size: 1.25rem; font-weight: 600; margin: 0; }
.products .price { margin-top: auto; }
form.card > fieldset:first-of-type { margin-top: 0; }
fieldset { border: 0; padding: 0; margin: 1rem 0; min-width: 0; }
legend, .fields label { font-weight: 600; padding: 0; }
.fields { display: grid; grid-template-columns: minmax(6rem, 8rem) minmax(0, 1fr); gap: .5rem 1rem; align-items: center; }
.fields legend { margin-bottom: .5rem; }
.fields input { min-height: 2.75rem; width: 100%; padding: .375rem .75rem; font: inherit; color: inherit; background: #fff;
  border: 1px solid #857a6d; border-radius: .5rem; }
.fields input[aria-invalid] { border: 2px solid var(--bad); }
.choice { display: flex; gap: .75rem; align-items: center; min-height: 2.75rem; padding: .375rem .75rem; margin-top: .5rem;
  border: 1px solid #857a6d; border-radius: .5rem; cursor: pointer; }
.choice:has(:checked) { border-color: var(--accent); background: #fbf1e7; }
.choice input { width: 1.25rem; height: 1.25rem; flex: none; margin: 0; accent-color: var(--accent); }
.button { display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; color: #fff; background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem; }
.button.second { color: var(--accent); background: #fff; }
.button:hover { filter: brightness(.93); }
.button:disabled { opacity: .6; cursor: default; }
.problems { border: 2px solid var(--bad); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; max-width: 34rem; }
.problems ul { margin: .25rem 0 0; padding-left: 1.25rem; }
.problems a { color: var(--bad); }
.order { display: grid; gap: 1rem; align-items: start; grid-template-columns: minmax(0, 1fr); }
.item { display: flex; justify-content: space-between; gap: 1rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.state { border-left: .25rem solid var(--accent); background: #fbf1e7; padding: .75rem 1rem; margin: 0 0 1rem; }
.state[data-tone=good] { border-color: var(--good); background: #e9f5ed; }
.state[data-tone=bad] { border-color: var(--bad); background: #fbeceb; }
.state p { margin: .25rem 0 0; }
.actions { display: flex; flex-direction: column; gap: .5rem; margin: 0; }
.history { list-style: none; margin: 0 0 1rem; padding: 0; }
.history li { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .375rem 0; border-top: 1px solid var(--line);
  overflow-wrap: anywhere; }
.history time { color: var(--soft); font-variant-numeric: tabular-nums; }
.flow { padding: 0; overflow: hidden; }
.flow iframe { display: block; height: clamp(45rem, 100dvh, 75rem); }
#happened { font-size: 1rem; margin: 0 0 .5rem; }
#headline:focus { outline: none; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 3px solid #b86f00; outline-offset: 2px; }
@media (min-width: 52rem) {
  .order { grid-template-columns: minmax(0, 5fr) minmax(0, 7fr); grid-template-rows: auto 1fr; }
  .order > .flow { grid-area: 1 / 2 / 3; }
}
`;

import { COLOURS } from './colours';

/** From the page as a whole down to its words. */
const PAGE = `
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: .875rem/1.5 system-ui, "Liberation Sans", sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
code { font-family: ui-monospace, "Liberation Mono", monospace; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: .875rem; margin: 1rem 0 .25rem; }
p, ul, ol, dl { margin: 0 0 .75rem; }
ul:not([class]) > li + li { margin-top: .25rem; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.soft { color: var(--soft); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; top: .5rem; z-index: 2; padding: .5rem .75rem; background: var(--card); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .5rem 1rem; background: var(--card);
  border-bottom: 1px solid var(--line); }
.top > * { min-width: 0; }
.top nav, .top .tools { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
.top .tools { margin-left: auto; }
.product { font-weight: 700; }
.top a { display: inline-block; padding: .25rem 0; }
.top nav a { color: inherit; text-decoration: none; border: solid transparent; border-width: 2px 0; }
.top nav a:hover { border-bottom-color: var(--edge); }
.top nav a[aria-current] { border-bottom-color: var(--accent); font-weight: 600; }
.who { overflow-wrap: anywhere; }
main { max-width: 84rem; margin: 0 auto; padding: 1rem; }
.connection { position: sticky; top: 0; z-index: 1; padding: .5rem 1rem; background: var(--bad-tint); color: var(--bad); font-weight: 600; }
.connection[hidden] { display: none; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 0 0 1rem; }
.card > h2:first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
.columns > .card { margin: 0; }
.columns { margin: 0 0 1rem; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, max(22rem, 34%)), 1fr)); gap: 1rem; align-items: start; }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
.nowrap { white-space: nowrap; }
.local { display: block; color: var(--soft); font-size: .8125rem; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
`;

/** What pages are built of; each builder of this folder has its line here. */
const PARTS = `
.badge { display: inline-flex; align-items: center; gap: .375rem; padding: .0625rem .5rem; border-radius: 1rem; font-size: .8125rem;
  font-weight: 600; max-width: 100%; overflow-wrap: break-word; }
.badge + code { display: inline-block; }
.badge svg { width: .75rem; height: .75rem; flex: none; fill: currentColor; }
.good { color: var(--good); background: var(--good-tint); }
.busy { color: var(--busy); background: var(--busy-tint); }
.attention { color: var(--attention); background: var(--attention-tint); }
.bad { color: var(--bad); background: var(--bad-tint); }
.quiet { color: var(--quiet); background: var(--quiet-tint); }
.notice { border-left: .25rem solid; border-radius: .25rem; padding: .625rem .875rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
.notice .heading { display: flex; gap: .5rem; align-items: center; font-weight: 700; margin: 0; }
.notice .heading svg { width: 1rem; height: 1rem; flex: none; fill: currentColor; }
.notice .body { color: var(--ink); }
.notice .body > :last-child { margin-bottom: 0; }
.empty { text-align: center; padding: .75rem 1rem; color: var(--soft); border: 1px dashed var(--line); border-radius: .5rem; margin: 0 0 1rem; }
.empty .heading { color: var(--ink); font-weight: 600; margin: 0; }
.empty > :last-child { margin-bottom: 0; }
.facts { display: grid; grid-template-columns: minmax(6rem, auto) 1fr; gap: .25rem 1rem; margin: 0 0 1rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 1rem; }
.table table { border-collapse: collapse; width: 100%; }
.table th, .table td { text-align: left; padding: .375rem .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.table tbody tr:last-child > * { border-bottom: 0; }
.table th { color: var(--soft); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.table td > div { overflow-wrap: break-word; max-width: 32rem; }
.table th:first-child:nth-last-child(2) { width: 20rem; }
.table tbody tr:hover { background: var(--raised); }
.table .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.table td p { margin: .375rem 0 0; white-space: pre-line; }
.bars { list-style: none; padding: 0; display: grid; gap: .25rem; }
.bars li { display: grid; grid-template-columns: minmax(6rem, 14rem) 1fr minmax(3rem, auto); gap: .75rem; align-items: center; }
.bars li > * { min-width: 0; overflow-wrap: anywhere; }
.bars .value { text-align: right; font-variant-numeric: tabular-nums; }
.bars svg { width: 100%; height: .75rem; background: none; }
.bars .track { fill: var(--raised); }
svg.tone-good { color: var(--good); } svg.tone-busy { color: var(--busy); } svg.tone-attention { color: var(--attention); }
svg.tone-bad { color: var(--bad); } svg.tone-quiet { color: var(--quiet); }
.bars .fill { fill: currentColor; }
.spark { display: block; width: 100%; max-width: 20rem; height: 3rem; color: var(--accent); overflow: visible; }
.spark polyline { fill: none; stroke: currentColor; stroke-width: 2; vector-effect: non-scaling-stroke; }
.spark .floor { stroke: var(--line); vector-effect: non-scaling-stroke; }
.pager { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; margin: 0 0 1rem; }
`;

/** Forms, and what opens and closes. */
const CONTROLS = `
form { margin: 0; }
form[role=search] { margin: 0 0 .75rem; }
.field { margin: 0 0 .75rem; min-width: 0; max-width: 48rem; }
.row > .field { margin: 0; }
.row > a:not(.button) { align-self: center; }
.row:has(.hint) > .button { align-self: center; }
.field label { display: block; font-weight: 600; }
.field input, .field select, .field textarea { display: block; width: 100%; min-height: 2.25rem; margin: .3125rem 0 0; padding: .375rem .5rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .375rem; }
.field [aria-invalid] { border: 2px solid var(--danger); }
.field .hint { color: var(--soft); margin: .3125rem 0 0; font-size: .8125rem; }
.field .error { color: var(--danger); font-weight: 600; margin: .3125rem 0 0; }
.button { display: inline-block; min-height: 2.25rem; padding: .375rem .875rem; font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; border: 1px solid var(--accent); border-radius: .375rem; color: var(--on-accent); background: var(--accent); }
.button.second { color: var(--accent); background: var(--card); }
.button.danger { color: var(--on-danger); background: var(--danger); border-color: var(--danger); }
.button.plain { min-height: 0; padding: .25rem 0; color: var(--accent); background: none; border: 0; font-weight: 400; text-decoration: underline;
  text-underline-offset: .15em; }
.button:hover { filter: brightness(.93); }
[aria-busy] .button { opacity: .6; }
details.disclosure { border: 1px solid var(--line); border-radius: .5rem; margin: 0 0 .75rem; background: var(--card); }
details.disclosure > summary { padding: .5rem .875rem; cursor: pointer; font-weight: 600; color: var(--accent); }
details.disclosure > .inside { padding: .25rem .875rem .875rem; }
`;

/** A narrow page: rows of tables become cards, each cell with the name of its column. */
const NARROW = `
@media (max-width: 40rem) {
  .top .tools { margin-left: 0; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin: 0 0 .5rem; }
  .table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .table table, .table tbody, .table tr, .table td { display: block; }
  .table tr { padding: .5rem .75rem; border-bottom: 1px solid var(--line); }
  .table tbody tr:last-child { border-bottom: 0; }
  .table td, .table .number { display: grid; grid-template-columns: 7rem 1fr; gap: .75rem; padding: .125rem 0; border: 0; text-align: left; white-space: normal; }
  .table td > div { overflow-wrap: anywhere; min-width: 0; max-width: none; }
  .table td::before { content: attr(data-column); color: var(--soft); }
  .table.dense tr { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .625rem; padding: .375rem .75rem; }
  .table.dense td { display: block; min-width: 0; padding: 0; }
  .table.dense td::before, .table.dense [data-nothing], .table.dense .local, .table td.wide-only { display: none; }
  .table.dense td:nth-child(n + 4) { color: var(--soft); font-size: .8125rem; }
  .bars li { grid-template-columns: 1fr auto; gap: 0 .75rem; }
  .bars svg { grid-column: 1 / -1; grid-row: 2; }
}
@media (prefers-reduced-motion: no-preference) { .fresh { animation: fresh 1.5s ease-out; } }
@keyframes fresh { from { background: var(--tint); } }
`;

/** The style of every page that the shell surrounds. Pages have no style of their own. */
export const STYLE = [COLOURS, PAGE, PARTS, CONTROLS, NARROW].join('');

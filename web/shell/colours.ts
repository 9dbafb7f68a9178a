/**
 * The colours of all pages, by light and by dark. Text has a contrast of 4.5:1 or more on what it stands on, the edges of
 * controls 3:1. Each tone has a colour for its text and one for what is behind it.
 */
export const COLOURS = `
:root { color-scheme: light dark;
  --page: #f5f7f9; --card: #fff; --raised: #eef2f5; --ink: #1b2430; --soft: #4f5c6a; --line: #d3dae1; --edge: #6b7885;
  --accent: #0b5c6b; --on-accent: #fff; --tint: #e6f2f4; --danger: #a3201a; --on-danger: #fff; --focus: #b36b00;
  --good: #14532d; --good-tint: #e1f3e7; --busy: #1d4a78; --busy-tint: #e3edf9; --attention: #694200; --attention-tint: #fdefd2;
  --bad: #8c1d18; --bad-tint: #fce6e4; --quiet: #45525f; --quiet-tint: #e9edf1; }
@media (prefers-color-scheme: dark) { :root {
  --page: #11161c; --card: #1a2028; --raised: #232b34; --ink: #e6eaef; --soft: #a9b4bf; --line: #343e49; --edge: #84909c;
  --accent: #74c8d8; --on-accent: #08191d; --tint: #17313a; --danger: #f09a92; --on-danger: #2a0a08; --focus: #ffc14d;
  --good: #9fdcb0; --good-tint: #17331f; --busy: #a9cdf5; --busy-tint: #182d46; --attention: #f3cd83; --attention-tint: #3a2b0c;
  --bad: #f6b0aa; --bad-tint: #451b19; --quiet: #c0c9d2; --quiet-tint: #2a333d; } }
`;

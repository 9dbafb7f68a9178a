import { Html } from '../html';

/** What a state means to who looks: fine, on its way, somebody should look, broken, and over or of no weight. */
export type Tone = 'good' | 'busy' | 'attention' | 'bad' | 'quiet';

/** A shape for each tone, so that it is told without colour, too. */
const SHAPES: Readonly<Record<Tone, string>> = {
  // A tick, a clock, a triangle, a cross in a block, a ring.
  good: 'M4.5 10.2 1 6.7l1.6-1.6 1.9 1.9L9.4 2 11 3.6z',
  busy: 'M6 0a6 6 0 1 0 0 12A6 6 0 0 0 6 0zm0 1.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zm-.8 1.2v3.7l2.6 1.6.8-1.3-1.8-1.1V2.8z',
  attention: 'M6 .5 12 11.5H0zM5.2 4v4h1.6V4zm0 4.9v1.4h1.6V8.9z',
  bad: 'M0 0h12v12H0zm2.4 3.5L4.9 6 2.4 8.5l1.1 1.1L6 7.1l2.5 2.5 1.1-1.1L7.1 6l2.5-2.5-1.1-1.1L6 4.9 3.5 2.4z',
  quiet: 'M6 1a5 5 0 1 0 0 10A5 5 0 0 0 6 1zm0 1.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8z',
};

/** The tone's shape; the text beside it says what it means. */
export const shapeOf = (tone: Tone): Html =>
  new Html(
    `<svg viewBox="0 0 12 12" aria-hidden="true"><path fill-rule="evenodd" d="${SHAPES[tone]}"/></svg>`,
  );

import { numbersOf } from './flatten';

/** Ratios that are expected, by the names of figures: paysession's against the baseline's. */
export type ExpectedRatios = Readonly<Record<string, number>>;

export interface Ratio {
  readonly figure: string;
  readonly measured: number;
  readonly expected: number;
  /** Worse by more than a fifth, or better by so much that what is expected is out of date. Less is the noise of a busy machine. */
  readonly isOff: boolean;
}

const MOST = 1.2;
const LEAST = 0.5;

/** Compares ratios, never figures: machines differ, and both sides ran on the same one. Throws for a figure that neither has. */
export function checkRatios(
  sides: { readonly paysession: unknown; readonly baseline: unknown },
  expected: ExpectedRatios,
): readonly Ratio[] {
  const ours = numbersOf(sides.paysession);
  const theirs = numbersOf(sides.baseline);
  return Object.entries(expected).map(([figure, ratio]) => {
    const [one, other] = [ours.get(figure), theirs.get(figure)];
    if (one === undefined || other === undefined) throw new RangeError(`there is no figure ${figure}`);
    const measured = one / other;
    return {
      figure,
      measured,
      expected: ratio,
      isOff: !(measured >= LEAST * ratio && measured <= MOST * ratio),
    };
  });
}

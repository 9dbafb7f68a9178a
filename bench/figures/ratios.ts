import { numbersOf } from './flatten';

/** Expected ratios, by the names of figures: paysession's figure divided by the baseline's. */
export type ExpectedRatios = Readonly<Record<string, number>>;

export interface Ratio {
  readonly figure: string;
  readonly measured: number;
  readonly expected: number;
  /**
   * True if the ratio is more than a fifth above the expected one, or below half of it. If it is below, the expected ratio
   * is out of date. Smaller differences are the noise of a busy machine.
   */
  readonly isOff: boolean;
}

const MOST = 1.2;
const LEAST = 0.5;

/**
 * Compares ratios, never figures: figures depend on the machine, but both sides of a ratio ran on the same machine. Throws a
 * `RangeError` if a side lacks an expected figure.
 */
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

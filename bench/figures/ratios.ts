import { numbersOf } from './flatten';

/** Expected ratios, by the names of figures: paysession's figure divided by the baseline's. */
export type ExpectedRatios = Readonly<Record<string, number>>;

export interface Ratio {
  readonly figure: string;
  readonly measured: number;
  readonly expected: number;
  /**
   * True if the ratio is more than a fifth above the expected ratio, or less than half of the expected ratio. A ratio
   * that is too low means that the expected ratio is out of date. Smaller differences are the noise of a busy machine.
   */
  readonly isOff: boolean;
}

const MOST = 1.2;
const LEAST = 0.5;

/**
 * Compares measured ratios with expected ratios. It does not compare figures, because figures depend on the machine.
 * The two figures of a ratio were measured on one machine. Throws a `RangeError` if a side lacks an expected figure.
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

import { SIDES, startSide, type Side, type SideName, type SideOptions } from './side';

/** A figure of each side. */
export type BothSides<Figures> = Readonly<Record<SideName, Figures>>;

/** Runs a workload on both sides, each started afresh, and stops them whatever happens. */
export async function withSides<Figures>(
  options: SideOptions,
  run: (sides: readonly Side[]) => Promise<readonly Figures[]>,
): Promise<BothSides<Figures>> {
  const sides: Side[] = [];
  try {
    for (const name of SIDES) sides.push(await startSide(name, options));
    const figures = await run(sides);
    return Object.fromEntries(SIDES.map((name, index) => [name, figures[index]])) as BothSides<Figures>;
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

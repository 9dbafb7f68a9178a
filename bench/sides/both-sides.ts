import { SIDES, startSide, type JobSide, type Side, type SideName, type SideOptions } from './side';

/** The figures of paysession and of the baseline. */
export type BothSides<Figures> = Readonly<Record<JobSide, Figures>>;

/** Starts both sides, paysession and the baseline, runs a workload on them, and stops them in any case. */
export function withSides<Figures>(
  options: SideOptions,
  run: (sides: readonly Side[]) => Promise<readonly Figures[]>,
): Promise<BothSides<Figures>> {
  return withSidesNamed(SIDES, options, run);
}

/** Starts the sides with these names, runs a workload on them, and stops them in any case. */
export async function withSidesNamed<Name extends SideName, Figures>(
  names: readonly Name[],
  options: SideOptions,
  run: (sides: readonly Side[]) => Promise<readonly Figures[]>,
): Promise<Readonly<Record<Name, Figures>>> {
  const sides: Side[] = [];
  try {
    for (const name of names) sides.push(await startSide(name, options));
    const figures = await run(sides);
    return Object.fromEntries(names.map((name, index) => [name, figures[index]])) as Record<Name, Figures>;
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

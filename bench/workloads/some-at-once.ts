/** Calls `run` for each key, for at most `atOnce` keys at a time. */
export async function someAtOnce(
  atOnce: number,
  keys: readonly string[],
  run: (key: string) => Promise<unknown>,
): Promise<void> {
  const left = [...keys];
  const oneAfterTheOther = async () => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) await run(key);
  };
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
}

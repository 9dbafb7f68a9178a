import { condition, defineSignal, proxyActivities, setHandler, sleep } from '@temporalio/workflow';

// Workflows with common mistakes, as users make them.

interface Warehouse {
  ship(): Promise<string>;
  misspelt(): Promise<string>;
}

const { ship, misspelt } = proxyActivities<Warehouse>({ startToCloseTimeout: '1m' });
const unlessOutOfRange = proxyActivities<Warehouse>({
  startToCloseTimeout: '1m',
  retry: { nonRetryableErrorTypes: ['RangeError'] },
});
const limited = proxyActivities<Warehouse>({ startToCloseTimeout: '1m', retry: { maximumAttempts: 6 } });

/** After an hour, reads a property of an undefined value. */
export async function hasTypeError(order?: { readonly id: string }): Promise<string> {
  await sleep('1h');
  return (order as { readonly id: string }).id;
}

export async function ships(): Promise<string> {
  return ship();
}

/** Runs an activity that is retried, but not after a `RangeError`. */
export async function shipsUnlessOutOfRange(): Promise<string> {
  return unlessOutOfRange.ship().catch(() => 'not tried again');
}

/** Runs an activity that is attempted at most six times. */
export async function shipsOrGivesUp(): Promise<string> {
  return limited.ship().catch(() => 'given up');
}

export async function callsMisspelt(): Promise<string> {
  return misspelt();
}

export const goOn = defineSignal('goOn');

export async function waitsForSignal(): Promise<string> {
  let goesOn = false;
  setHandler(goOn, () => void (goesOn = true));
  await condition(() => goesOn);
  return 'gone on';
}

import { beforeAll, expect, test } from '@jest/globals';
import { eft } from '../../support/requests';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { run, requestFile } = useSandbox();
const key = newKey();

/** This limit includes the start of Node. */
const SOON_MS = 5_000;

beforeAll(async () => {
  expect((await run('start', '--key', key, '--request', requestFile(eft()))).code).toBe(0);
});

test.each([['history'], ['watch'], ['refresh'], ['resolve', '--retry']])(
  'without a worker, `paysession %s` fails within five seconds',
  async (command, ...args) => {
    const startedAt = performance.now();
    expect((await run(command, key, ...args)).code).toBe(5);
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  },
);

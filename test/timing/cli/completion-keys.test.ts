import { beforeAll, expect, test } from '@jest/globals';
import { complete } from '../../support/cli/complete';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import { useTemporalServer } from '../../support/worlds/own-temporal';

// A separate server: the completion offers only the newest keys, and other tests start many sessions.
const temporal = useTemporalServer();
const { env, run, requestFile } = useSandbox();
beforeAll(() => {
  env['TEMPORAL_ADDRESS'] = temporal.address;
});

/** Completes until keys are offered: Temporal’s index may be behind. Each completion waits only 1.5 seconds for the server. */
const offered = (...words: string[]) =>
  until(
    () => complete(words, env),
    ({ length }) => length > 1,
  );

test('the Tab key offers the keys of sessions, and what comes after a key', async () => {
  const key = newKey();
  expect((await run('start', '--key', key, '--request', requestFile(eft()))).code).toBe(0);
  const prefix = key.slice(0, -1);
  expect(await offered('state', prefix)).toEqual([key, ':4']);
  expect(await offered('ledger', 'show', prefix)).toEqual([key, ':4']);
  expect(await offered('play', key, 'sig')).toEqual(['signs', ':4']);
});

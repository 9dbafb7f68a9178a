import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { OWN_IMAGE } from '../support/compose/load-compose';
import { GOOD_FORMS } from '../support/sandbox/flow/payor';
import { snippetsOf } from '../support/docs/snippets';
import { until } from '../support/wait';
import { compose, docker, environment, PROJECT_NAME, run } from './support/docker';

/** Long enough to pull and build images on a busy machine. */
const UP_MS = 1_800_000;

const GUIDE = 'docs/guides/compose.md';

/** Returns the only shell snippet of the guide that matches `pattern`. */
const printed = (pattern: RegExp): string => {
  const [found, ...others] = snippetsOf(GUIDE).filter(
    ({ language, code }) => language === 'sh' && pattern.test(code),
  );
  if (found === undefined || others.length > 0)
    throw new Error(`${GUIDE}: not one snippet ${String(pattern)}`);
  return found.code;
};

const up = () => compose('--profile', 'console', 'up', '--detach', '--wait', '--wait-timeout', '600');

beforeAll(async () => {
  await compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
  await compose('build');
}, UP_MS);

afterAll(async () => {
  await compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
}, UP_MS);

/** Runs a `paysession` command in the worker's container, with the worker's settings. */
const paysession = (...args: readonly string[]) =>
  compose('exec', '-T', 'worker', 'node', 'dist/cli/main.js', ...args);

/** Runs a snippet of the guide in a shell, and returns its output. */
async function shell(code: string): Promise<string> {
  const { code: exit, stdout, stderr } = await run('sh', ['-c', code]);
  if (exit !== 0) throw new Error(`${code}\nhas failed (${exit}):\n${stdout}${stderr}`);
  return stdout;
}

/** Starts a session that the sandbox completes without a payor, and waits until it ends. */
async function payAtOnce(key: string): Promise<unknown> {
  const start = printed(/ start --key order-1 /)
    .replaceAll('order-1', key)
    .replace('--open', '--wait --json');
  return JSON.parse(await shell(start.replace('"walk-in-1"', '"sandbox-completes"')));
}

/** Fills in the forms of the hosted flow, as the payor does. */
async function payAsPayor(checkoutUrl: string): Promise<void> {
  const url = checkoutUrl.replace('//sandbox.localhost:', '//127.0.0.1:');
  for (const [, fields] of GOOD_FORMS) {
    const page = await (await fetch(url)).text();
    const token = /name="token" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const body = new URLSearchParams({ token, action: 'continue', ...fields });
    await fetch(url, { method: 'POST', body, redirect: 'manual' });
  }
}

const containerOf = async (service: string) => (await compose('ps', '--quiet', service)).trim();

async function addressOf(container: string): Promise<string> {
  const format = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';
  return (await docker('inspect', '--format', format, container)).trim();
}

/** Starts an idle container in the services' network. Resolves with the container's id. */
async function startOther(): Promise<string> {
  const network = `${PROJECT_NAME}_default`;
  return (
    await docker('run', '--detach', '--rm', '--network', network, '--entrypoint', 'sleep', OWN_IMAGE, '600')
  ).trim();
}

test(
  'after `up`, all services are healthy, and the three setup jobs have ended without an error',
  async () => {
    await up();
    const states = (
      await compose('ps', '--all', '--format', '{{.Service}} {{.State}} {{.Health}} {{.ExitCode}}')
    )
      .trim()
      .split('\n')
      .sort();
    expect(states).toEqual([
      'console running healthy 0',
      'ledger running healthy 0',
      'ledger-schema exited  0',
      'postgresql running healthy 0',
      'sandbox running healthy 0',
      'temporal running healthy 0',
      'temporal-namespace exited  0',
      'temporal-schema exited  0',
      'temporal-ui running healthy 0',
      'worker running healthy 0',
    ]);
  },
  UP_MS,
);

test('the payor pays the first payment of the Compose guide', async () => {
  const started = await shell(printed(/ start --key order-1 /));
  const checkoutUrl = /http:\/\/sandbox\.localhost:4010\/\S+/.exec(started)?.[0] ?? '';
  expect(checkoutUrl).not.toBe('');
  await payAsPayor(checkoutUrl);
  expect(await shell(printed(/ watch order-1/))).toContain('Completed EFT0301');
});

test('the console of the Compose installation answers on this machine, and shows the payment from the ledger', async () => {
  const answer = await fetch('http://127.0.0.1:4030/payments');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('order-1')]);
});

test(
  'after all containers were killed and started again, an open session can be paid, and so can a new one',
  async () => {
    await shell(printed(/ start --key order-1 /).replaceAll('order-1', 'order-open'));
    await compose('--profile', 'console', 'kill');
    await up();
    const { checkoutUrl } = JSON.parse(await paysession('open', 'order-open', '--json')) as {
      checkoutUrl: string;
    };
    await payAsPayor(checkoutUrl);
    const state = () => paysession('state', 'order-open', '--json');
    expect(await until(state, (text) => text.includes('"paid": true'))).toContain('EFT0301');
    expect(await payAtOnce('after-kill')).toMatchObject({ paid: true });
  },
  UP_MS,
);

test(
  'sessions are paid within 30 seconds after Temporal’s container has got another address',
  async () => {
    const before = await addressOf(await containerOf('temporal'));
    await compose('rm', '--stop', '--force', 'temporal');
    const others: string[] = [];
    try {
      // Docker assigns the free addresses in order. Idle containers take them all, including Temporal's old address.
      do others.push(await startOther());
      while ((await addressOf(others.at(-1) ?? '')) !== before);
      await compose('up', '--detach', '--wait', '--no-deps', 'temporal');
      const healthyAt = Date.now();
      expect(await addressOf(await containerOf('temporal'))).not.toBe(before);
      // Until the worker polls again, a start is answered with WORKER_UNAVAILABLE.
      const paid = () => payAtOnce('after-move').catch(() => undefined);
      expect(await until(paid, (answer) => answer !== undefined)).toMatchObject({ paid: true });
      // If Temporal's parts still looked for each other at the old address, the server would not answer for more than 40 seconds.
      expect(Date.now() - healthyAt).toBeLessThan(30_000);
    } finally {
      await docker('rm', '--force', ...others);
    }
  },
  UP_MS,
);

test(
  'payments survive `docker compose down` and `up`, and the next payment is paid',
  async () => {
    await compose('--profile', 'console', 'down');
    await up();
    expect(await paysession('state', 'order-1')).toContain('Completed EFT0301');
    expect(await paysession('ledger', 'list')).toContain('order-1');
    expect(await payAtOnce('after-down')).toMatchObject({ paid: true });
  },
  UP_MS,
);

test(
  'the keeper signs checkpoints with a signing key that the Compose guide’s command makes',
  async () => {
    const [, command = ''] = /\$\((.*)\)"/.exec(printed(/new-key/)) ?? [];
    environment['PAYSESSION_LEDGER_SIGNING_KEY'] = (await shell(command)).trim();
    await compose('--profile', 'keeper', 'up', '--detach', '--wait', 'keeper');
    const files = () => compose('exec', '-T', 'keeper', 'ls', '/var/lib/paysession');
    expect(await until(files, (names) => names.trim() !== '')).not.toBe('');
  },
  UP_MS,
);

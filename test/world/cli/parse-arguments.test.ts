import { expect, test } from '@jest/globals';
import { createProgram } from '../../../cli/program';
import { parsePort } from '../../../cli/shared/parse-arguments';
import { paysession } from '../../support/cli/run-paysession';

const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;

test.each(['0', '4010', '65535'])('%j is a port', (text) => {
  expect(parsePort(text)).toBe(Number(text));
});

test.each(['', ' ', '0x50', '1e3', '80.0', '-1', '65536'])('%j is not a port', (text) => {
  expect(() => parsePort(text)).toThrow('must be a whole number from 0 to 65535.');
});

test.each([
  ['list', '--limit', 100_000],
  ['start-many', '--concurrency', 200],
])('%s %s takes a whole number from 1 to %i, written in digits', (command, option, maximum) => {
  const found = createProgram()
    .commands.find((each) => each.name() === command)
    ?.options.find(({ long }) => long === option);
  const parse = (text: string): unknown => found?.parseArg?.<unknown>(text, undefined);
  expect([parse('1'), parse(String(maximum))]).toEqual([1, maximum]);
  for (const text of ['', '0', '0x10', '1e1', String(maximum + 1)])
    expect(() => parse(text)).toThrow(`must be a whole number from 1 to ${maximum}.`);
});

test.each([
  ['list', '--running', '--ended'],
  ['ledger list', '--paid', '--unpaid'],
  ['dev', '--address localhost:7233', '--temporal-port 0'],
  ['dev', '--address localhost:7233', '--ui-port 0'],
  ['dev', '--no-ledger', '--ledger-port 0'],
  ['dev', '--ledger-port 0', 'PAYSESSION_LEDGER_URL'],
  ['listen --forward http://localhost:1', `--secret ${SECRET}`, '--data .'],
  ['trigger session.paid', '--endpoint shop', '--forward http://localhost:1'],
  ['trigger session.paid', '--endpoint shop', `--secret ${SECRET}`],
  ['trigger session.paid', '--endpoint shop', '--data .'],
])('%s refuses %s and %s together', async (command, ...together) => {
  const env = { PAYSESSION_LEDGER_URL: 'postgresql://nobody@127.0.0.1:1/none' };
  const flags = together.filter((one) => one.startsWith('--'));
  const answer = await paysession([command, ...flags].join(' ').split(' '), { env });
  expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be used with') });
  for (const one of together) expect(answer.stderr).toContain(one.split(' ')[0]);
});

test.each(['--retry', `--secret ${SECRET}`, '--data .'])(
  'listen refuses %s without --forward',
  async (flag) => {
    const answer = await paysession(['listen', ...flag.split(' ')]);
    expect(answer).toMatchObject({ code: 2, stderr: expect.stringContaining(flag.split(' ')[0] ?? '') });
    expect(answer.stderr).toContain('needs --forward');
  },
);

import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { registerReconcile } from '../../../cli/commands/reconcile';

/** Returns the columns that the command line reads from its option --columns. */
function columns(...given: readonly string[]): unknown {
  const program = new Command();
  registerReconcile(program);
  const option = program.commands[0]?.options.find(({ long }) => long === '--columns');
  return given.reduce<unknown>((before, text) => option?.parseArg?.(text, before), undefined);
}

describe('the option --columns', () => {
  test.each([
    ['amount=Betrag,date=Tag', { amount: 'Betrag', date: 'Tag' }],
    [' amount = Betrag , date = Tag der Buchung ', { amount: 'Betrag', date: 'Tag der Buchung' }],
    ['reference=Ref=No', { reference: 'Ref=No' }],
    [
      'amount="Amount, CAD",date="Date, posted",kind=Type',
      { amount: 'Amount, CAD', date: 'Date, posted', kind: 'Type' },
    ],
    ['amount="The ""real"" one"', { amount: 'The "real" one' }],
    ['kind=Type "K"', { kind: 'Type "K"' }],
    ['date="Tag\nMonat" , kind=K', { date: 'Tag\nMonat', kind: 'K' }],
  ])('reads %j', (text, named) => {
    expect(columns(text)).toEqual(named);
  });

  test('may be given again for further columns', () => {
    expect(columns('amount=A,date=D', 'date="D, 2"')).toEqual({ amount: 'A', date: 'D, 2' });
  });

  test.each([
    '',
    'amount',
    'amount=',
    'amount=,date=D',
    'amount=""',
    'total=A',
    'amount="A',
    'amount="A"B',
    'amount=A,,date=D',
    'Amount, CAD=A',
  ])('refuses %j', (text) => {
    expect(() => columns(text)).toThrow('amount="Amount, CAD"');
  });
});

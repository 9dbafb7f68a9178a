import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFile, type FileLayout, type ReadLine } from '../../../../ledger/reconciliation/read-file';

const HEAD = 'reference,session,amount,currency,date,kind,code';

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
  await Promise.resolve();
}

async function read(text: string, layout: FileLayout = {}, size = 10): Promise<readonly ReadLine[]> {
  const lines: ReadLine[] = [];
  for await (const line of readFile(piecesOf(text, size), layout)) lines.push(line);
  return lines;
}

/** Reads a file of one line, with the default columns, and returns that line. */
const lineOf = async (line: string) => (await read(`${HEAD}\n${line}\n`))[0];

const settled = { kind: 'settled', date: '2026-05-06', cents: 125050, referenceId: 'ref-1' };

describe('a reconciliation file', () => {
  test('is read line by line, for any size of the pieces in which it arrives', async () => {
    const text = `${HEAD}\nref-1,,1250.50,CAD,2026-05-06,settled,\n,s-1,7,,2026-05-07,Returned,NSF\n`;
    const lines = [
      { line: 2, says: { ...settled, currency: 'CAD' } },
      { line: 3, says: { kind: 'returned', date: '2026-05-07', cents: 700, sessionId: 's-1', code: 'NSF' } },
    ];
    for (const size of [1, 2, 7, 1000]) expect(await read(text, {}, size)).toEqual(lines);
  });

  test.each([
    ['a byte order mark', `\ufeff${HEAD}\nref-1,,1250.50,,2026-05-06,settled,\n`, {}],
    ['CRLF', `${HEAD}\r\nref-1,,1250.50,,2026-05-06,settled,\r\n\r\n`, {}],
    ['quoted cells', `${HEAD}\n"ref-1",,"1250.50",,2026-05-06,"settled",\n`, {}],
    [
      'configured columns, in another order and case',
      'Betrag,Ref,"Note, long",TAG,Art\n1250.50,ref-1,"a\nb",2026-05-06,settled\n',
      { columns: { amount: 'Betrag', reference: 'Ref', date: 'Tag', kind: 'Art' } },
    ],
    [
      'another delimiter',
      'reference;amount;date;kind\nref-1;1250.50;2026-05-06;settled\n',
      { delimiter: ';' },
    ],
  ])('with %s is read like a file without it', async (_what, text, layout) => {
    const [line, ...others] = await read(text, layout);
    expect(line).toMatchObject({ says: settled });
    expect(others).toEqual([]);
  });

  test.each([
    ['', 'it is empty'],
    ['reference,amount,date,ki', 'in line 1, which must name its columns, the file ends in this line'],
    [
      'reference,amount,date\n',
      'there is no column "kind" for the kind. Line 1 has 3 titles, and must name the columns',
    ],
    ['refrence,amount,date,kind\n', 'there is neither a column "reference" nor a column "session"'],
    ['reference,amount,AMOUNT,date,kind\n', 'two columns are named "amount"'],
    ['reference;amount;date;kind\n', 'if a semicolon is between its cells, say so (--delimiter)'],
    ['reference\tamount\tdate\tkind\n', 'if a tab is between its cells'],
    ['sep=;\n\nRef\n', 'Line 3 has one title'],
  ])('that begins with %j is refused', async (text, why) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringContaining(why),
    });
  });

  test('without a configured column is refused, and the error names the column', async () => {
    const columns = { session: 'Sessions' };
    await expect(read(`${HEAD}\n`, { columns })).rejects.toThrow(/no column "Sessions" for the session[.]/);
  });

  test.each([
    'root:$y$hunter2$:19000:0:99999:7:::\ndaemon:*:1\n',
    'hunter2;hunter2\n1;2\n',
    'hunter2,hunter2,reference,amount\n',
    'amount,hunter2"hunter2,date\n',
    '"amount"hunter2,kind\n',
    '"hunter2',
    'hunter2',
  ])('of another kind is refused, and the error quotes nothing of it: %j', async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.not.stringContaining('hunter2'),
    });
  });

  test('has a line that is not CSV: the line is reported, and not quoted', async () => {
    const lines = await read(`${HEAD}\nref-1,hunter2"x"\n`);
    expect(lines).toMatchObject([
      {
        line: 2,
        wrong: { reason: 'unreadable', detail: expect.stringContaining('a quote is within a cell') },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  test.each([
    ['ref-1,,"1,250.50",,2026-05-06,settled,', 'the amount "1,250.50" is not a number of dollars'],
    [
      'ref-1,,1,250.50,,2026-05-06,settled,',
      'it has 8 cells, and the line of titles has 7: is there a comma',
    ],
    ['ref-1,,-25.00,,2026-05-06,returned,', 'without a sign'],
    ['ref-1,,25.005,,2026-05-06,settled,', 'is not a number of dollars'],
    ['ref-1,,0,,2026-05-06,settled,', 'is not a number of dollars'],
    ['ref-1,,99999999999999.99,,2026-05-06,settled,', 'is not a number of dollars'],
    ['ref-1,,25,,2026-02-29,settled,', 'the date "2026-02-29" is not a day of the calendar'],
    ['ref-1,,25,,06/05/2026,settled,', 'is not a day of the calendar'],
    ['ref-1,,25,,2026-05-06,paid,', '"paid" is neither settled nor returned'],
    [',,25,,2026-05-06,settled,', 'neither a reference nor a session id'],
    ['ref-1,,25,,2026-05-06', 'it has 5 cells, and the line of titles has 7'],
    ['ref-1,,25,,2026-05-06,returned,Marie Curie', 'its code is not 1 to 40 letters'],
    ['ref\0,,25,,2026-05-06,settled,', 'NUL'],
  ])('reports the line %j as unreadable', async (line, why) => {
    expect(await lineOf(line)).toMatchObject({
      line: 2,
      wrong: { reason: 'unreadable', detail: expect.stringContaining(why) },
    });
  });

  test('that is cut off at any place is read up to the last whole line, and the cut-off line is reported', async () => {
    const rows = Array.from({ length: 5 }, (_row, index) => `"ref-${index}",,25,,2026-05-06,returned,NSF`);
    const text = `${HEAD}\n${rows.join('\n')}\n`;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: HEAD.length + 1, max: text.length - 1 }), async (length) => {
        const whole = text.slice(0, length).split('\n').length - 2;
        const lines = await read(text.slice(0, length), {}, 16);
        const isBetweenLines = text[length - 1] === '\n';
        expect(lines.map((line) => ('says' in line ? line.says.referenceId : line.wrong.reason))).toEqual([
          ...rows.slice(0, whole).map((_row, index) => `ref-${index}`),
          ...(isBetweenLines ? [] : ['cutOff']),
        ]);
      }),
    );
  });

  test.each([
    ['a stray quote', 'ref-2,,2"5,,2026-05-06,settled,\nref-3,,25,,2026-05-06,settled,\n', 'unreadable'],
    [
      'a quote that is never closed',
      '"ref-2,,25,,2026-05-06,settled,\nref-3,,25,,2026-05-06,settled,\n',
      'cutOff',
    ],
    [
      'a quote that is not closed for 70,000 characters',
      `"${'x'.repeat(70_000)}\nref-3,,25,,2026-05-06,settled,\n`,
      'unreadable',
    ],
  ])(
    'with %s is read up to the line with the fault, and that line is reported',
    async (_what, rest, reason) => {
      const lines = await read(`${HEAD}\nref-1,,1250.50,,2026-05-06,settled,\n${rest}`, {}, 50_000);
      expect(lines).toEqual([
        { line: 2, says: settled },
        { line: 3, cells: [expect.any(String)], wrong: { reason, detail: expect.any(String) } },
      ]);
    },
  );
});

describe('a reconciliation file from a spreadsheet', () => {
  const rows = ['ref-1,,1250.50,,2026-05-06,settled,', 'ref-2,,7.00,,2026-05-07,returned,NSF'];
  const payments = [
    settled,
    { kind: 'returned', date: '2026-05-07', cents: 700, referenceId: 'ref-2', code: 'NSF' },
  ];
  const file = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n`;
  const saysOf = (lines: readonly ReadLine[]) =>
    lines.map((line) => ('says' in line ? line.says : line.wrong.detail));

  test.each<[string, string, FileLayout?]>([
    ['rows of commas', file(',,,,,,', HEAD, ',,,,,,', ...rows, ',,,,,,', ',', ',,,,,,,,,')],
    ['rows of commas, the last one without its end', `${file(HEAD, ...rows)},,,,,,`],
    ['lines of blanks', file(' \t', HEAD, rows[0] ?? '', '   ', rows[1] ?? '', '\u00a0', ' , ,')],
    ['quoted empty cells', file(HEAD, ...rows, '"","","","","","",""')],
    ['a comma at the end of each row', file(HEAD, ...rows.map((row) => `${row},`))],
    ['commas at the end of each line', file(...[HEAD, ...rows].map((row) => `${row},, ,`))],
    ['commas at the end of the titles', file(`${HEAD},,,`, ...rows)],
    ['a comma at the beginning of each line', file(...[HEAD, ...rows].map((row) => `,${row}`))],
    ['a line sep=,', file('sep=,', HEAD, ...rows)],
    ['a line sep=;', file('sep=;', ...[HEAD, ...rows].map((row) => row.replaceAll(',', ';')))],
    ['a line sep=; in quotes', file('"sep=;"', ...[HEAD, ...rows].map((row) => row.replaceAll(',', ';')))],
    ['a line SEP= with a tab', file('SEP=\t', ...[HEAD, ...rows].map((row) => row.replaceAll(',', '\t')))],
    [
      'a line sep=; after a byte order mark',
      file('\ufeffsep=;', ...[HEAD, ...rows].map((row) => row.replaceAll(',', ';'))),
    ],
    [
      'another delimiter than its line sep=',
      file('sep=,', ...[HEAD, ...rows].map((row) => row.replaceAll(',', ';'))),
      { delimiter: ';' },
    ],
    ['PowerShell’s type', file('#TYPE System.Management.Automation.PSCustomObject', HEAD, ...rows)],
    ['a total', file(HEAD, ...rows, 'Total,,1257.50,,,,')],
    ['a total of fewer cells', file(HEAD, ...rows, 'TOTAL: 2 payments,,1257.50')],
    ['a total without a word', file(HEAD, ...rows, ',,"$1,257.50",,,,')],
    [
      'totals between the lines',
      file(HEAD, rows[0] ?? '', 'Sub-total,,1250.50,,,,', rows[1] ?? '', 'Grand total,,1257.50,,,,'),
    ],
    ['a total in French', file(HEAD, ...rows, ',,1257.50,,Sous-total,,', ',,"1 257,50 $",,,Totaux,')],
  ])('is read correctly with %s', async (_what, text, layout = {}) => {
    for (const size of [1, 10, 10_000]) expect(saysOf(await read(text, layout, size))).toEqual(payments);
  });

  test('has the line numbers that a text editor shows', async () => {
    const [first, second] = await read(file('sep=,', HEAD, ',,,,,,', ...rows));
    expect([first?.line, second?.line]).toEqual([4, 5]);
  });

  test.each([
    ['Total,,25.00,,2026-05-06,,', '"" is neither settled nor returned'],
    ['order-1,,25.00,,,,', '"" is neither settled nor returned'],
    [',,25.00,,,,NSF', 'neither a reference nor a session id'],
    [',,,25.00,,2026-05-06,settled', 'neither a reference nor a session id'],
    ['ref-1,,25.00,,2026-05-06,settled,,NSF', 'it has 8 cells, and the line of titles has 7'],
    ['ref-1,,1,250,,2026-05-06,settled,', 'it has 8 cells'],
  ])('does not hide the wrong line %j among empty and total lines', async (line, why) => {
    expect(await lineOf(line)).toMatchObject({
      line: 2,
      wrong: { reason: 'unreadable', detail: expect.stringContaining(why) },
    });
  });

  test('does not hide a comma between thousands in the last columns', async () => {
    const lines = await read(
      file(
        'date,kind,reference,amount,code',
        '2026-05-06,settled,ref-1,1,250.50,',
        '2026-05-06,settled,ref-2,1,,',
      ),
    );
    expect(saysOf(lines)).toEqual([
      expect.stringContaining('it has 6 cells'),
      expect.objectContaining({ cents: 100 }),
    ]);
  });

  test('with a cut-off total is reported, because the line may be a payment', async () => {
    expect(await read(`${file(HEAD, ...rows)}Total`)).toMatchObject([
      {},
      {},
      { line: 4, wrong: { reason: 'cutOff' } },
    ]);
  });

  test('may have titles with commas, line breaks and accents, and the option `columns` can name them', async () => {
    const columns = {
      reference: 'Référence'.normalize('NFD'),
      amount: 'Amount, CAD',
      date: 'Date posted',
      kind: 'TYPE',
    };
    const text = 'Référence,"Amount, CAD","Date\r\nposted", Type \nref-1,1250.50,2026-05-06,settled\n';
    expect(saysOf(await read(text, { columns }))).toEqual([settled]);
    await expect(read('Ref,"Amount, CAD",,\n')).rejects.toThrow(
      `Line 1 has 2 titles, and must name the columns: say which one has what, such as --columns 'amount="NAME, WITH COMMA"',date=NAME.`,
    );
  });

  test('keeps the spaces around a reference, but a reference of only spaces counts as missing', async () => {
    expect(await lineOf('" ref-1\u00a0",,25,,2026-05-06,settled,')).toMatchObject({
      says: { referenceId: ' ref-1\u00a0' },
    });
    expect(await lineOf('" ", s-1 , 25 ,,2026-05-06, settled ,')).toMatchObject({
      says: { sessionId: 's-1', cents: 2500 },
    });
  });

  test.each(['', ',,,\r\n', 'sep=;\r\n', '\ufeff'])('is empty if it contains only %j', async (text) => {
    await expect(read(text)).rejects.toThrow('it is empty');
  });
});

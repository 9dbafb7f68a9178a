import { describe, expect, test } from '@jest/globals';
import { nextStep, type KeySituation } from '../../../cli/commands/keys-next-step';
import { newKey } from '../../../cli/commands/keys';

const OLD = '2031-05-01';
const NEW = '2031-06-01';

const use = (...neededKeys: string[]) => ({ looked: 3, complete: true, neededKeys, inPlainText: 0 });
const worker = (name: string, ...keyIds: string[]) => ({ name, keyIds });

const next = (situation: Partial<KeySituation>) =>
  nextStep({ here: [OLD], workers: [worker('a', OLD), worker('b', OLD)], use: use(OLD), ...situation });

// `paysession keys check` names the next step of a change of encryption keys. First, all processes get the new key after
// the old one (append). Then all put it first (promote), and encrypt with it. At last, the old key is removed (drop).
describe('the next step in a change of keys', () => {
  test('is to create a key if no process has one', () => {
    expect(next({ here: [], workers: [worker('a')], use: use() })).toMatchObject({
      step: 'create',
      ok: true,
    });
  });

  test('is to set the old keys again, if open sessions need them and no process has a key', () => {
    expect(next({ here: [], workers: [worker('a')], use: use(OLD) })).toMatchObject({
      step: 'append',
      ok: false,
      text: expect.stringContaining(`Open sessions need ${OLD}`),
    });
  });

  test('is "none" if this machine and all workers have one and the same key', () => {
    expect(next({})).toEqual({
      step: 'none',
      ok: true,
      text: `This machine and all workers encrypt with ${OLD}.`,
    });
  });

  test('is to append a new key on the workers that lack it', () => {
    const step = next({ here: [OLD, NEW], workers: [worker('a', OLD, NEW), worker('b', OLD)] });
    expect(step).toEqual({
      step: 'append',
      ok: true,
      text: `Append the key ${NEW} after the others on: b.`,
    });
  });

  test('is to promote a new key once all processes have it, until all have promoted it', () => {
    const appended = { here: [OLD, NEW], workers: [worker('a', OLD, NEW), worker('b', OLD, NEW)] };
    expect(next(appended)).toMatchObject({
      step: 'promote',
      text: expect.stringContaining('this machine; a; b'),
    });
    const half = { here: [OLD, NEW], workers: [worker('a', NEW, OLD), worker('b', OLD, NEW)] };
    expect(next(half)).toMatchObject({ step: 'promote', text: expect.stringContaining('this machine; b') });
  });

  const promoted = { here: [NEW, OLD], workers: [worker('a', NEW, OLD), worker('b', NEW, OLD)] };

  test('is to keep the old key while open sessions need it, and then to drop it', () => {
    expect(next({ ...promoted, use: use(NEW, OLD) })).toMatchObject({
      step: 'none',
      text: expect.stringContaining(`Keep ${OLD}`),
    });
    const step = next({ ...promoted, use: { ...use(NEW), retention: '72 h' } });
    expect(step).toMatchObject({ step: 'drop', ok: true, text: expect.stringContaining('72 h') });
  });

  test('names several old keys in the plural', () => {
    const keyIds = [NEW, OLD, '2031-04-01'];
    const several = { here: keyIds, workers: [worker('a', ...keyIds)] };
    const { text } = next({ ...several, use: { ...use(NEW), complete: false, retention: '72 h' } });
    expect(text).toMatch(
      /remove them[.] Ended sessions may need them .* A ledger needs them .* remove them[.]$/,
    );
  });

  test('warns before a key is removed, if not all open sessions were checked', () => {
    const step = next({ ...promoted, use: { ...use(NEW), complete: false } });
    expect(step.text).toContain('raise --limit');
  });

  test('names both possibilities if ids do not show which key is older', () => {
    const workers = [worker('a', 'x', 'y')];
    expect(next({ here: ['x', 'y'], workers, use: use('x') }).text).toMatch(
      /Put a new key first everywhere; remove an old one/,
    );
  });

  test.each([
    ['a key that was promoted before all workers had it', { here: [NEW, OLD] }],
    ['a worker without keys', { workers: [worker('a', OLD), worker('b')] }],
    ['no key on this machine', { here: [] }],
    ['a key that was dropped too early', { here: [NEW], workers: [worker('a', NEW), worker('b', NEW)] }],
  ])('is to append a key at once, and marked as a fault, if there is %s', (_name, situation) => {
    expect(next(situation)).toMatchObject({ step: 'append', ok: false });
  });

  // A worker announces the ids of its first eight keys only.
  describe('with more keys than a worker announces', () => {
    const days = ['08', '07', '06', '05', '04', '03', '02', '01', '09'];
    const nine = days.map((day) => `2031-06-${day}`);
    const [newest = '', , , , , , , oldest = '', ninth = ''] = nine;
    const full = (name: string) => ({ ...worker(name, ...nine.slice(0, 8)), mayHaveMore: true });

    test('is not to append a key that the worker may have without announcing it, even if an open session needs the key', () => {
      const old = '2031-05-01';
      const here = [...nine.slice(0, 8), old];
      const step = next({ here, workers: [full('a')], use: use(...here) });
      expect(step).toMatchObject({ step: 'none', ok: true });
      expect(step.text).toMatch(new RegExp(`only its first eight keys, so .* these have ${old}: a[.]$`));
      expect(
        next({ here: here.slice(0, 8), workers: [full('a')], use: use(...here.slice(0, 8)) }).text,
      ).not.toMatch(/unknown/);
    });

    test('is to put a new key second, so that the worker announces it, before it is promoted', () => {
      const step = next({ here: nine, workers: [full('a')], use: use(...nine) });
      expect(step).toMatchObject({ step: 'append', ok: true });
      expect(step.text).toContain(`Put the key ${ninth} second on: a.`);
      const reordered = [newest, ninth, ...nine.slice(1, 8)];
      const announcing = { ...worker('a', ...reordered.slice(0, 8)), mayHaveMore: true };
      expect(next({ here: reordered, workers: [announcing], use: use(...nine) })).toMatchObject({
        step: 'promote',
        text: expect.stringMatching(new RegExp(`can decrypt with ${ninth}[.] .*these have ${oldest}: a[.]$`)),
      });
    });

    test('does not claim that all processes have a key that the worker does not announce', () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
      const workers = [{ ...worker('w', ...ids.slice(0, 8)), mayHaveMore: true }];
      const { text } = next({ here: ids, workers, use: use('a') });
      expect(text).toMatch(/^No open session needs b, .*, i[.] Put a new key first everywhere/);
    });
  });

  test('ignores workers whose keys are unknown', () => {
    expect(next({ workers: [worker('a', OLD), { name: 'own', keyIds: undefined }] }).ok).toBe(true);
  });
});

test('a new key is random, and its id is the day, so that ids sort by age', async () => {
  const day = new Date('2031-05-06T23:59:00Z');
  const [first, second] = [await newKey([], day), await newKey(['2031-05-06'], day)];
  expect([first.id, second.id]).toEqual(['2031-05-06', '2031-05-06-b']);
  expect(first.line).toMatch(/^2031-05-06:[\w+/]{43}=$/);
  expect(first.line.slice(first.id.length)).not.toBe(second.line.slice(second.id.length));
});

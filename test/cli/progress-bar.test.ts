import { describe, expect, test } from '@jest/globals';
import { ProgressBar } from '../../cli/shared/progress-bar';

const ESCAPE = '\u001b[K';

function createBar(columns = 80) {
  const writes: string[] = [];
  const bar = new ProgressBar({ columns, write: (text) => writes.push(text) });
  return { bar, writes, shown: () => writes.at(-1)?.replace(`\r${ESCAPE}`, '') };
}

describe('the progress bar', () => {
  test('fills with what is done, and counts failures', () => {
    const { bar, shown } = createBar();
    bar.show({ done: 1, total: 4 });
    expect(shown()).toBe(`${'█'.repeat(8)}${'░'.repeat(22)} 1/4`);
    bar.show({ done: 4, total: 4, failed: 2 });
    expect(shown()).toBe(`${'█'.repeat(30)} 4/4, 2 failed`);
  });

  test('is not drawn again at each step', () => {
    const { bar, writes } = createBar();
    for (let done = 1; done < 100; done += 1) bar.show({ done, total: 1_000 });
    expect(writes.length).toBeLessThan(50);
  });

  test('is taken away at the end', () => {
    const { bar, shown } = createBar();
    bar.show({ done: 1, total: 2 });
    bar.close();
    expect(shown()).toBe('');
  });

  test('counts what comes from a pipe, and never wraps', () => {
    const { bar, shown } = createBar(10);
    bar.show({ done: 1, total: undefined, failed: 1 });
    expect(shown()).toBe('1 done, 1');
  });

  test('stays below the lines that are printed meanwhile', () => {
    const { bar, shown, writes } = createBar();
    bar.show({ done: 1, total: undefined });
    bar.print('line 1: bad');
    expect(writes.at(-2)).toBe(`\r${ESCAPE}line 1: bad\n`);
    expect(shown()).toBe('1 done');
  });
});

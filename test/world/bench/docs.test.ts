import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PAGE, withFigures } from '../../../bench/report/docs';
import { readResults } from '../../../bench/report/results';
import { PAGE_ORDER } from '../../../bench/workloads/all';

const page = readFileSync(PAGE, 'utf8');

test('the page of costs has the figures of bench/results.json', () => {
  expect(withFigures(page, readResults(), PAGE_ORDER)).toBe(page);
});

test('the page of costs states each workload’s title, day and machine above its figures', () => {
  const machine = {
    cores: 2,
    processor: 'Some Processor',
    memoryGib: 8,
    platform: 'linux x64',
    node: 'v20.0.0',
    temporal: 'temporal version 1',
  };
  const measured = {
    title: 'A title',
    at: '2026-01-02T03:04:05.678Z',
    tookSeconds: 1,
    machine,
    figures: { events: 12 },
  };
  const written = withFigures(page, { unsigned: measured }, PAGE_ORDER);
  expect(written).toContain(
    '**A title.** `unsigned`, 2026-01-02, 2 cores (Some Processor), Node v20.0.0, temporal version 1.\n',
  );
  expect(written).toContain('| history events per session |         12 |\n');
  expect(withFigures(written, readResults(), PAGE_ORDER)).toBe(page);
});

test('writing figures into a page fails if the page has no markers for them', () => {
  expect(() => withFigures('# Costs\n', {}, PAGE_ORDER)).toThrow('figures: written by');
});

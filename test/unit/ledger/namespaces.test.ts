import { describe, expect, test } from '@jest/globals';
import { misfitOf, type EnvironmentUse } from '../../../ledger/namespaces';

const use = (environment: string, id: string, isRecent = true): EnvironmentUse => ({
  environment,
  namespace: { name: 'shop', id },
  isRecent,
});
const mine = use('live', '1');

describe('a namespace that uses an environment of the ledger', () => {
  test.each<[string, readonly EnvironmentUse[]]>([
    ['that no worker has used yet', []],
    ['as its workers do', [mine]],
    ['as its workers did long ago', [use('live', '1', false)]],
    ['that another namespace has left', [mine, use('live', '2', false)]],
    ['next to one of another namespace', [mine, use('test', '2')]],
    ['next to another one that its workers have left', [mine, use('test', '1', false)]],
  ])('fits one %s', (_what, uses) => {
    expect(misfitOf(uses, mine)).toEqual({ strangers: [], elsewhere: [], divided: [] });
  });

  test('does not fit where its workers use only others', () => {
    const uses = [use('test', '1', false), use('trial', '1', false)];
    expect(misfitOf(uses, mine)).toMatchObject({ strangers: [], elsewhere: ['test', 'trial'] });
  });

  test('is sent to the environment that its workers use now, not to one that they have left', () => {
    expect(misfitOf([use('old', '1', false), use('prod', '1')], mine).elsewhere).toEqual(['prod']);
  });

  test('does not fit once its workers have left for another', () => {
    expect(misfitOf([use('live', '1', false), use('new', '1')], mine).elsewhere).toEqual(['new']);
  });

  test('does not fit while some of its workers use another', () => {
    expect(misfitOf([mine, use('test', '1')], mine)).toMatchObject({ elsewhere: [], divided: ['test'] });
    expect(misfitOf([use('test', '1')], mine).divided).toEqual(['test']);
  });

  test('does not fit where another namespace is, though it has the same name on another server', () => {
    expect(misfitOf([mine, use('live', '2')], mine).strangers).toEqual([{ name: 'shop', id: '2' }]);
  });
});

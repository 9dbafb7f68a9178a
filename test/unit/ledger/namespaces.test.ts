import { describe, expect, test } from '@jest/globals';
import { misfitOf, type EnvironmentUse } from '../../../ledger/namespaces';

// A ledger has environments, such as "live" and "test". The workers of one Temporal namespace use one environment.
const use = (environment: string, id: string, isRecent = true): EnvironmentUse => ({
  environment,
  namespace: { name: 'shop', id },
  isRecent,
});
const mine = use('live', '1');

describe('a Temporal namespace', () => {
  test.each<[string, readonly EnvironmentUse[]]>([
    ['no worker has used it yet', []],
    ['its workers use it', [mine]],
    ['its workers used it long ago', [use('live', '1', false)]],
    ['another namespace used it long ago', [mine, use('live', '2', false)]],
    ['another namespace uses another environment', [mine, use('test', '2')]],
    ['its workers used another environment long ago', [mine, use('test', '1', false)]],
  ])('has no conflict in an environment of the ledger if %s', (_what, uses) => {
    expect(misfitOf(uses, mine)).toEqual({ strangers: [], elsewhere: [], divided: [] });
  });

  test('has a conflict in an environment of the ledger if its workers use only other environments', () => {
    const uses = [use('test', '1', false), use('trial', '1', false)];
    expect(misfitOf(uses, mine)).toMatchObject({ strangers: [], elsewhere: ['test', 'trial'] });
  });

  test('in conflict is referred to the environment that its workers use now, not to an earlier environment', () => {
    expect(misfitOf([use('old', '1', false), use('prod', '1')], mine).elsewhere).toEqual(['prod']);
  });

  test('has a conflict in an environment of the ledger once its workers have moved to another environment', () => {
    expect(misfitOf([use('live', '1', false), use('new', '1')], mine).elsewhere).toEqual(['new']);
  });

  test('has a conflict in an environment of the ledger while some of its workers use another environment', () => {
    expect(misfitOf([mine, use('test', '1')], mine)).toMatchObject({ elsewhere: [], divided: ['test'] });
    expect(misfitOf([use('test', '1')], mine).divided).toEqual(['test']);
  });

  test('has a conflict in an environment of the ledger that a namespace with the same name on another server uses', () => {
    expect(misfitOf([mine, use('live', '2')], mine).strangers).toEqual([{ name: 'shop', id: '2' }]);
  });
});

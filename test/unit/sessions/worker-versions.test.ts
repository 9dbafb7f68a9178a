import { describe, expect, test } from '@jest/globals';
import { getsSessions, whyIdle } from '../../../src/sessions/calls/workers';

const v1 = { deploymentName: 'payments', buildId: 'v1' };
const v2 = { deploymentName: 'payments', buildId: 'v2' };

describe('a worker gets sessions', () => {
  test.each([
    ['without a version where none is current', undefined, undefined, true],
    ['without a version where one is current', undefined, { currentDeploymentVersion: v1 }, false],
    ['of a version where none is current', v1, undefined, false],
    ['of the current version', v1, { currentDeploymentVersion: v1 }, true],
    ['of another version than the current one', v2, { currentDeploymentVersion: v1 }, false],
    ['of a version that ramps up', v2, ramping(10), true],
    ['of the current version beside one that ramps up', v1, ramping(10), true],
    ['of the current version beside one that gets all', v1, ramping(100), false],
    ['of a version that has ramped down', v2, ramping(0), false],
    ['of any version where a server tells it in its old form', v2, { currentVersion: 'payments.v1' }, true],
  ])('%s: %#', (_, version, routing, expected) => {
    expect(getsSessions(version, routing)).toBe(expected);
  });
});

function ramping(rampingVersionPercentage: number) {
  return { currentDeploymentVersion: v1, rampingDeploymentVersion: v2, rampingVersionPercentage };
}

describe('where no worker gets sessions', () => {
  const whyOf = (...idle: Parameters<typeof whyIdle>[1]) => whyIdle('default', idle);

  test('one that is not current is named, with the command', () => {
    expect(whyOf(v1)).toEqual({
      found: 'version payments v1 is not current',
      fix: expect.stringMatching(
        /^Make it current: `temporal .* --deployment-name payments --build-id v1 --yes`\.$/,
      ),
    });
  });

  test('three of many are named, and one of them may be made current', () => {
    const why = whyOf(v1, v2, { ...v1, buildId: 'v3' }, { ...v1, buildId: 'v4' });
    expect(why?.found).toBe('none of payments v1, payments v2, payments v3 and 1 more is current');
    expect(why?.fix).toMatch(/^Make one that is ready current, for instance: `/);
  });

  test('those without a version learn that they need one', () => {
    expect(whyOf(undefined)?.fix).toContain('TEMPORAL_WORKER_BUILD_ID');
  });

  test('a name is one word of the command, whatever is in it', () => {
    const why = whyOf({ deploymentName: "Sam's; rm", buildId: 'v1' });
    expect(why?.fix).toContain(String.raw`--deployment-name 'Sam'\''s; rm' --build-id v1`);
  });

  test('no warning if no worker polls', () => {
    expect(whyOf()).toBeUndefined();
  });
});

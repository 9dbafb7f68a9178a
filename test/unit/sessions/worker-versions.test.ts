import { describe, expect, test } from '@jest/globals';
import { getsSessions, whyIdle } from '../../../src/sessions/calls/workers';

const v1 = { deploymentName: 'payments', buildId: 'v1' };
const v2 = { deploymentName: 'payments', buildId: 'v2' };

describe('a worker', () => {
  test.each([
    ['without a version gets new sessions if no version is current', undefined, undefined, true],
    [
      'without a version gets no new sessions if a version is current',
      undefined,
      { currentDeploymentVersion: v1 },
      false,
    ],
    ['with a version gets no new sessions if no version is current', v1, undefined, false],
    ['of the current version gets new sessions', v1, { currentDeploymentVersion: v1 }, true],
    ['of a version that is not current gets no new sessions', v2, { currentDeploymentVersion: v1 }, false],
    ['of a ramping version gets new sessions', v2, ramping(10), true],
    ['of the current version gets new sessions while another version ramps up', v1, ramping(10), true],
    [
      'of the current version gets no new sessions if another version has ramped up to 100%',
      v1,
      ramping(100),
      false,
    ],
    ['of a version that has ramped down to 0% gets no new sessions', v2, ramping(0), false],
    [
      'counts as getting new sessions if the server reports the current version in an older API’s form',
      v2,
      { currentVersion: 'payments.v1' },
      true,
    ],
  ])('%s', (_, version, routing, expected) => {
    expect(getsSessions(version, routing)).toBe(expected);
  });
});

function ramping(rampingVersionPercentage: number) {
  return { currentDeploymentVersion: v1, rampingDeploymentVersion: v2, rampingVersionPercentage };
}

describe('the warning that no worker gets new sessions', () => {
  const warningFor = (...idle: Parameters<typeof whyIdle>[1]) => whyIdle('default', idle);

  test('names a version that is not current, and the command that makes it current', () => {
    expect(warningFor(v1)).toEqual({
      found: 'version payments v1 is not current',
      fix: expect.stringMatching(
        /^Make it current: `temporal .* --deployment-name payments --build-id v1 --yes`\.$/,
      ),
    });
  });

  test('names three of four versions, and the command that makes one of them current', () => {
    const why = warningFor(v1, v2, { ...v1, buildId: 'v3' }, { ...v1, buildId: 'v4' });
    expect(why?.found).toBe('none of payments v1, payments v2, payments v3 and 1 more is current');
    expect(why?.fix).toMatch(/^Make one that is ready current, for instance: `/);
  });

  test('says how to set a version if the workers have no version', () => {
    expect(warningFor(undefined)?.fix).toContain('TEMPORAL_WORKER_BUILD_ID');
  });

  test('quotes a name, so that it is one word of the command', () => {
    const why = warningFor({ deploymentName: "Sam's; rm", buildId: 'v1' });
    expect(why?.fix).toContain(String.raw`--deployment-name 'Sam'\''s; rm' --build-id v1`);
  });

  test('does not exist if no worker polls', () => {
    expect(warningFor()).toBeUndefined();
  });
});

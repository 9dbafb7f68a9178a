const { default: Sequencer } = require('@jest/test-sequencer');

/** Test files that mostly wait, some for minutes. Jest would run them last, because they are small. */
const WAITING = [
  'package/installed',
  'package/readme',
  'slow/ledger/away',
  'slow/ledger/forgotten',
  'slow/testkit/stuck',
  'slow/worker/shared-rate',
  'slow/workflows/create/frozen',
  'slow/workflows/create/given-back',
  'slow/workflows/follow/change-held',
  'slow/workflows/follow/no-temporal',
  'slow/workflows/follow/nobody-looks',
  'slow/workflows/follow/queue-behind',
  'slow/workflows/follow/turn-behind',
].map((name) => `/${name}.test.ts`);

/** Starts the waiting test files early, each beside another one, so that the processors have other work meanwhile. */
module.exports = class extends Sequencer {
  /**
   * @override
   * @param {Parameters<InstanceType<typeof Sequencer>['sort']>[0]} tests
   */
  async sort(tests) {
    const sorted = await super.sort(tests);
    /** @param {{ readonly path: string }} test */
    const isWaiting = ({ path }) => WAITING.some((name) => path.endsWith(name));
    const waiting = sorted.filter(isWaiting);
    const others = sorted.filter((test) => !isWaiting(test));
    return sorted.flatMap(() => [...waiting.splice(0, 1), ...others.splice(0, 1)]);
  }
};

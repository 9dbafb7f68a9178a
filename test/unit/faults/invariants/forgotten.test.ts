import { describe, expect, test } from '@jest/globals';
import { forgottenAtMs, type KnownCreate } from '../../../../chaos/faults/invariants/forgotten';
import type { Restore } from '../../../../chaos/faults/invariants/key-evidence';

/**
 * Returns the time at which neither the ledger nor Temporal knows of a create request that was sent at 1,000 ms. The ledger
 * and Temporal lose data if they are restored from a copy. Temporal drops old workflows. A sweep copies workflows to the
 * ledger.
 */
const forgotten = (changes: Partial<KnownCreate>) =>
  forgottenAtMs({ key: 'f-1', atMs: 1_000, drops: [], restores: [], sweeps: [], ...changes });

const restore = (server: Restore['server'], copiedAtMs: number, atMs: number): Restore => ({
  server,
  copiedAtMs,
  atMs,
});
const dropped = { atMs: 20_000, fromMs: 900, toMs: 2_000 };
const sweep = (beganAtMs: number, left: readonly string[] = []) => ({
  beganAtMs,
  doneAtMs: beganAtMs + 100,
  left: new Set(left),
});

describe('the ledger or Temporal knows of a create request at any time', () => {
  test('if at most one of them has lost it', () => {
    expect(forgotten({})).toBe(Infinity);
    expect(forgotten({ drops: [dropped] })).toBe(Infinity);
    expect(forgotten({ restores: [restore('ledger', 500, 3_000)] })).toBe(Infinity);
    expect(forgotten({ restores: [restore('temporal', 500, 3_000)] })).toBe(Infinity);
  });

  test('if the side that alone knew of the request is restored to a copy that has the request', () => {
    const restores = [restore('ledger', 500, 3_000), restore('temporal', 1_500, 4_000)];
    expect(forgotten({ restores })).toBe(Infinity);
    // The restore of Temporal brings the dropped workflow back.
    const again = [restore('temporal', 1_500, 21_000), restore('ledger', 500, 22_000)];
    expect(forgotten({ restores: again, drops: [dropped] })).toBe(Infinity);
  });

  test('if a sweep has copied the workflow to the ledger before Temporal dropped the workflow', () => {
    const restores = [restore('ledger', 500, 3_000)];
    expect(forgotten({ restores, drops: [dropped], sweeps: [sweep(10_000)] })).toBe(Infinity);
  });
});

describe('the ledger and Temporal forget a create request', () => {
  test('when both have lost the request', () => {
    const ledger = restore('ledger', 500, 3_000);
    expect(forgotten({ restores: [ledger, restore('temporal', 600, 4_000)] })).toBe(4_000);
    expect(forgotten({ restores: [ledger], drops: [dropped] })).toBe(20_000);
    expect(forgotten({ restores: [restore('ledger', 500, 30_000)], drops: [dropped] })).toBe(30_000);
  });

  test('even after a sweep, if the sweep ran before the ledger’s loss, ran too early, or could not read the key', () => {
    const restores = [restore('ledger', 500, 12_000)];
    const drops = [dropped];
    expect(forgotten({ restores, drops, sweeps: [sweep(10_000)] })).toBe(20_000);
    const early = [restore('ledger', 500, 1_500)];
    expect(forgotten({ restores: early, drops, sweeps: [sweep(2_500)] })).toBe(20_000);
    expect(forgotten({ restores: early, drops, sweeps: [sweep(10_000, ['f-1'])] })).toBe(20_000);
  });

  test('only if Temporal drops the workflow that sent the request', () => {
    const restores = [restore('ledger', 500, 3_000)];
    expect(forgotten({ restores, drops: [{ ...dropped, fromMs: 1_100 }] })).toBe(Infinity);
    expect(forgotten({ restores, drops: [{ ...dropped, fromMs: 100, toMs: 800 }] })).toBe(Infinity);
  });
});

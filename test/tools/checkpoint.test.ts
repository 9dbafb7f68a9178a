import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { newSigningKey, readSigningKey } from '../../ledger';
import { CLAIM } from '../support/ledger/claim';
import { testLedger } from '../support/ledger/test-ledger';

const folder = mkdtempSync(join(tmpdir(), 'paysession-checkpoint-'));
const program = join(folder, 'check');

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Builds the Go program that verifies checkpoints. Returns the reason if Go cannot build it. The tests are then skipped, except in
 * continuous integration.
 */
function failureOfBuild(): string | undefined {
  const cwd = join(__dirname, 'checkpoint');
  const { error, status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { cwd, encoding: 'utf8' });
  return error?.message ?? (status === 0 ? undefined : stderr.trim());
}

const lacks = failureOfBuild();
const isSkipped = lacks !== undefined && process.env['CI'] === undefined;
if (isSkipped) process.stderr.write(`Skipped: Go's verifier of checkpoints. ${lacks}\n`);

/** Returns the output of the Go program for a proof: `proved`, or an error. */
function checked(verifierKey: string, entryHash: string, proof: string): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(program, [verifierKey, entryHash], (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.trim());
    });
    child.stdin?.end(proof);
  });
}

/** Returns the hash with a different first digit. */
const anotherHash = (hash: string): string => hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

(isSkipped ? describe.skip : describe)('a verifier of Go’s standard log packages', () => {
  test('accepts the proof of each ledger entry, and refuses a proof for another entry or an altered proof', async () => {
    const signer = readSigningKey(newSigningKey('shop.example/ledger'));
    if (signer === undefined) throw new Error('a new key cannot be read');
    const { verifierKey } = signer;
    const { ledger } = await testLedger();
    const { at } = CLAIM;
    const keys = Array.from({ length: 7 }, (_key, index) => `order-${index}`);
    for (const key of keys) {
      await ledger.recordEnded({ ...CLAIM, key }, [{ kind: 'opened', at, sessionId: key, how: 'create' }]);
      await ledger.checkpoint(signer);
    }
    for (const key of keys) {
      const { entryHash = '', proof = '' } = (await ledger.prove(key)) ?? {};
      expect(await checked(verifierKey, entryHash, proof)).toBe('proved');
      expect(await checked(verifierKey, anotherHash(entryHash), proof)).not.toBe('proved');
      expect(await checked(verifierKey, entryHash, proof.replace(/\n14\n/, '\n15\n'))).not.toBe('proved');
    }
    expect(await ledger.prove('nobody')).toBeUndefined();
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { GrowingTree, inclusionProof, leafHash } from '../../../ledger/log/merkle';

const treeOf = (leaves: readonly Buffer[]): GrowingTree => {
  const tree = new GrowingTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree;
};
const leavesOf = (count: number): readonly Buffer[] =>
  Array.from({ length: count }, (_leaf, index) => leafHash(Buffer.from(String(index))));
const sha = (...parts: readonly Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const node = (left: Buffer, right: Buffer): Buffer => sha(Buffer.from([1]), left, right);

describe('a Merkle tree', () => {
  test('has the roots of the reference tree of RFC 6962', () => {
    const data = [
      '',
      '00',
      '10',
      '2021',
      '3031',
      '40414243',
      '5051525354555657',
      '606162636465666768696a6b6c6d6e6f',
    ];
    const leaves = data.map((hex) => leafHash(Buffer.from(hex, 'hex')));
    const roots = leaves.map((_leaf, index) =>
      treeOf(leaves.slice(0, index + 1))
        .root()
        .toString('hex'),
    );
    expect(roots).toEqual([
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ]);
    expect(new GrowingTree().root()).toEqual(sha());
  });

  test('that continues from stored peaks has the same root as a whole tree', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), (first, more) => {
        const leaves = leavesOf(first + more);
        const { size, peaks } = treeOf(leaves.slice(0, first));
        const grown = new GrowingTree({ size, peaks });
        for (const leaf of leaves.slice(first)) grown.append(leaf);
        expect(grown.root()).toEqual(treeOf(leaves).root());
      }),
    );
    expect(() => new GrowingTree({ size: 3, peaks: Buffer.alloc(32) })).toThrow('peaks');
  });

  test('has inclusion proofs that are valid only for its leaves', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 130 }), fc.nat(), (count, seed) => {
        const leaves = leavesOf(count);
        const index = seed % count;
        const proof = inclusionProof(leaves, index);
        const leaf = leaves[index] ?? Buffer.alloc(0);
        const root = treeOf(leaves).root();
        expect(rootFromInclusion({ leaf, index, size: count, proof })).toEqual(root);
        const other = leafHash(Buffer.from('another'));
        expect(rootFromInclusion({ leaf: other, index, size: count, proof })).not.toEqual(root);
      }),
    );
  });
});

interface Inclusion {
  readonly leaf: Buffer;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Buffer[];
}

/** Computes the root from an inclusion proof, as in RFC 9162, 2.1.3.2. */
function rootFromInclusion({ leaf, index, size, proof }: Inclusion): Buffer | undefined {
  let [fn, sn, hash] = [index, size - 1, leaf];
  for (const part of proof) {
    if (sn === 0) return undefined;
    if (fn % 2 === 1 || fn === sn) {
      hash = node(part, hash);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1];
    } else hash = node(hash, part);
    [fn, sn] = [fn >> 1, sn >> 1];
  }
  return sn === 0 ? hash : undefined;
}

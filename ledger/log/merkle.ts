/** Merkle trees as RFC 6962 defines them. Pure. */
import { createHash } from 'node:crypto';

const HASH_BYTES = 32;

/** Returns a leaf of the tree: the hash of its data. */
export const leafHash = (data: Uint8Array): Buffer => createHash('sha256').update(LEAF).update(data).digest();

const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  createHash('sha256').update(NODE).update(left).update(right).digest();

/**
 * A tree to which leaves are only added. It does not keep the leaves, but only its peaks: the roots of its complete subtrees. There is a peak
 * for each digit 1 of the tree's size in binary.
 */
export class GrowingTree {
  #size: number;
  /** The peaks, the largest subtree first. */
  readonly #peaks: Buffer[];

  /** Continues a tree, given its size and peaks. @default an empty tree */
  constructor(
    { size, peaks }: { readonly size: number; readonly peaks: Uint8Array } = { size: 0, peaks: NONE },
  ) {
    if (peaks.length !== HASH_BYTES * onesOf(size))
      throw new Error('the peaks are not those of a tree of this size');
    this.#size = size;
    this.#peaks = Array.from({ length: onesOf(size) }, (_peak, index) =>
      Buffer.from(peaks.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)),
    );
  }

  get size(): number {
    return this.#size;
  }

  /** The hashes of the peaks, one after the other, the largest subtree first. */
  get peaks(): Buffer {
    return Buffer.concat(this.#peaks);
  }

  append(leaf: Buffer): void {
    let whole = leaf;
    // Two subtrees of the same size are joined to one of twice the size, like a carry in binary addition.
    for (let part = this.#size; part % 2 === 1; part = Math.floor(part / 2))
      whole = nodeHash(this.#peaks.pop() ?? NONE, whole);
    this.#peaks.push(whole);
    this.#size += 1;
  }

  root(): Buffer {
    const [last, ...larger] = this.#peaks.toReversed();
    if (last === undefined) return createHash('sha256').digest();
    return larger.reduce((right, left) => nodeHash(left, right), last);
  }
}

const NONE = Buffer.alloc(0);

/** Counts the binary digits of a number that are 1. The number may be larger than 32 bits. */
const onesOf = (number: number): number => number.toString(2).replaceAll('0', '').length;

/** Returns the hashes that prove that a leaf is in a tree of these leaves, in the order from the leaf to the root (RFC 6962, 2.1.1). */
export function inclusionProof(leaves: readonly Buffer[], index: number): readonly Buffer[] {
  if (leaves.length <= 1) return [];
  const half = largestPowerBelow(leaves.length);
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  return index < half
    ? [...inclusionProof(left, index), rootOf(right)]
    : [...inclusionProof(right, index - half), rootOf(left)];
}

function rootOf(leaves: readonly Buffer[]): Buffer {
  const tree = new GrowingTree();
  for (const leaf of leaves) tree.append(leaf);
  return tree.root();
}

const largestPowerBelow = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));

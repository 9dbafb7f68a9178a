import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { describeRights, modeOf } from '../../support/rights';
import { OTHERS_PASS_FOLDER, ownerOnly, ownerOnlyFolder } from '../../../src/files';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'paysession-files-'));
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(parent, { recursive: true });
});

function looseFolder(...names: readonly string[]): string {
  const folder = join(parent, ...names);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o775);
  return folder;
}

describeRights('ownerOnly', () => {
  test('removes the rights of other users to a file, and keeps the owner’s rights', async () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    chmodSync(file, 0o746);
    await ownerOnly(file);
    expect(modeOf(file)).toBe('700');
    chmodSync(file, 0o444);
    await ownerOnly(file);
    expect(modeOf(file)).toBe('400');
  });

  test('ignores a link, and a file that does not exist', async () => {
    const folder = looseFolder('folder');
    const link = join(parent, 'link');
    symlinkSync(folder, link);
    await ownerOnly(link);
    await ownerOnly(join(parent, 'nothing'));
    expect(modeOf(folder)).toBe('775');
  });
});

describeRights('ownerOnlyFolder', () => {
  test('removes the rights of other users to a data folder, even if its path is a link', async () => {
    const folder = looseFolder('data');
    symlinkSync(folder, join(parent, 'link'));
    await ownerOnlyFolder(join(parent, 'link'));
    expect(modeOf(folder)).toBe('700');
  });

  test('with OTHERS_PASS_FOLDER, keeps the right of others to pass through a folder, but does not add this right', async () => {
    const [loose, tight] = [looseFolder('loose'), looseFolder('tight')];
    await ownerOnlyFolder(tight);
    for (const folder of [loose, tight]) await ownerOnlyFolder(folder, OTHERS_PASS_FOLDER);
    expect([modeOf(loose), modeOf(tight)]).toEqual(['711', '700']);
  });

  test('does not change the user’s home folder or a folder above it', async () => {
    const folder = looseFolder('home', 'avery');
    jest.spyOn(os, 'homedir').mockReturnValue(folder);
    await ownerOnlyFolder(folder);
    await ownerOnlyFolder(looseFolder('home'));
    expect([modeOf(folder), modeOf(join(parent, 'home'))]).toEqual(['775', '775']);
    const within = looseFolder('home', 'avery', 'data');
    await ownerOnlyFolder(within);
    expect(modeOf(within)).toBe('700');
  });

  test('does not change the working folder', async () => {
    const before = statSync(process.cwd()).mode;
    await ownerOnlyFolder('.');
    expect(statSync(process.cwd()).mode).toBe(before);
  });
});

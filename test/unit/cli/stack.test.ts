import { expect, test } from '@jest/globals';
import { stopAll } from '../../../cli/shared/stack';

test('stopAll stops all parts in reverse order of their start, and reports the first failure', async () => {
  const stopped: string[] = [];
  const part = (name: string, error?: Error) => async () => {
    await Promise.resolve();
    stopped.push(name);
    if (error !== undefined) throw error;
  };
  const parts = [part('server', new Error('late')), part('connection'), part('worker', new Error('lost'))];
  await expect(stopAll(parts)).rejects.toThrow('lost');
  expect(stopped).toEqual(['worker', 'connection', 'server']);
  await stopAll(parts);
  expect(stopped).toHaveLength(3);
});

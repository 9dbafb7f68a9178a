import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export default async function globalTeardown(): Promise<void> {
  await globalThis.paysessionEngine?.stop();
  const bundle = process.env['PAYSESSION_TEST_BUNDLE'];
  if (bundle !== undefined) await rm(dirname(bundle), { recursive: true, force: true });
}

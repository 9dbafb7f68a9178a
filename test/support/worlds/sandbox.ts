import { createSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox';
import { use } from './use';

/** Starts a sandbox with an HTTP port for all tests of a file or a `describe`. */
export function useSandbox(options: SandboxOptions = {}): Sandbox {
  return use(
    async () => {
      const sandbox = createSandbox(options);
      await sandbox.listen();
      return sandbox;
    },
    (sandbox) => sandbox.close(),
  );
}

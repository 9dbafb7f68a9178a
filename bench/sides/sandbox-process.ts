import { createSandbox, type SandboxOptions } from '../../sandbox';

/** Runs the sandbox of one side in this process. The bench reads and controls the sandbox through its control port. */
async function main(): Promise<void> {
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
  const sandbox = createSandbox(JSON.parse(process.env['SANDBOX_OPTIONS'] ?? '{}') as SandboxOptions);
  const { url } = await sandbox.listen();
  const control = await sandbox.listenControl();
  process.send?.({ ready: true, url, controlUrl: control.url });
}

void main();

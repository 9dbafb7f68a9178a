import process from 'node:process';
import { loadSandbox } from './sandbox.js';

process.once('disconnect', () => process.exit());

const DAY_MS = 86_400_000;
const sandbox = loadSandbox().createSandbox({ idleExpiryMs: DAY_MS, maxSessions: 100_000 });
const { url } = await sandbox.listen({ port: 0 });
const control = await sandbox.listenControl({ port: 0 });
process.send?.({ url, controlUrl: control.url });

import { parseArgs } from 'node:util';

const USAGE = `Options:
  --sessions N          sessions (30)
  --start-every MS      milliseconds between their starts; 0 starts all at once (0)
  --completes-after S   seconds after which the service completes one (10)
  --poll-every MS       milliseconds between polls (1000)
  --cancel              cancels the sessions instead
  --warm-up N           sessions before the measurement (10)
  --idle S              seconds in which the idle share is measured (10)
  --sandbox URL, --sandbox-control URL
                        a sandbox that runs already (one of its own)`;

/** @typedef {NonNullable<ReturnType<typeof readOptions>>} Options */

/** Reads the command line. Returns nothing after printing the requested help. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      sessions: { type: 'string', default: '30' },
      'start-every': { type: 'string', default: '0' },
      'completes-after': { type: 'string', default: '10' },
      'poll-every': { type: 'string', default: '1000' },
      cancel: { type: 'boolean', default: false },
      'warm-up': { type: 'string', default: '10' },
      idle: { type: 'string', default: '10' },
      sandbox: { type: 'string' },
      'sandbox-control': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return undefined;
  }
  const { sandbox: url, 'sandbox-control': controlUrl } = values;
  if ((url === undefined) !== (controlUrl === undefined)) {
    throw new Error('--sandbox and --sandbox-control go together');
  }
  return {
    sessions: number('sessions', values.sessions, 1),
    startEveryMs: number('start-every', values['start-every'], 0),
    completesAfterMs: number('completes-after', values['completes-after'], 0) * 1000,
    pollEveryMs: number('poll-every', values['poll-every'], 1),
    cancels: values.cancel,
    warmUp: number('warm-up', values['warm-up'], 0),
    idleMs: number('idle', values.idle, 1) * 1000,
    sandbox: url !== undefined && controlUrl !== undefined ? { url, controlUrl } : undefined,
  };
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} minimum
 */
function number(name, text, minimum) {
  const value = Number(text);
  if (!(value >= minimum)) throw new Error(`--${name} has to be a number of at least ${minimum}`);
  return value;
}

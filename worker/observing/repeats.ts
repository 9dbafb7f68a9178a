import type { LogLine } from './log-line';

/** The maximum number of kinds of lines to count separately. All further kinds are counted together. */
const MOST_KINDS = 500;
const OTHERS = 'others';
/** The summary of all further kinds, which share no field. */
const OF_OTHERS = {
  level: 'WARN',
  message: `lines of other kinds were counted and not written, because there were already ${MOST_KINDS} kinds`,
  fields: {},
} as const;
const SUMMARY_EVERY_MS = 60_000;

/** Fields that may differ between the lines of a kind. A summary covers many lines, so it has none of these fields. */
const OF_ONE_LINE = [
  'activityType',
  'attempt',
  'forMs',
  'runId',
  'sessionKey',
  'span_id',
  'stack',
  'trace_id',
];

interface Kind {
  readonly first: LogLine;
  readonly timer: NodeJS.Timeout;
  repeated: number;
}

/**
 * Writes the first line of a kind at once, and once a minute the number of lines that followed. An outage is one line and
 * a summary a minute, however many sessions it affects.
 */
export class Repeats {
  readonly #kinds = new Map<string, Kind>();
  readonly #write: (line: LogLine) => void;

  constructor(write: (line: LogLine) => void) {
    this.#write = write;
  }

  take(line: LogLine): void {
    const own = kindOf(line);
    const name = this.#kinds.has(own) || this.#kinds.size < MOST_KINDS ? own : OTHERS;
    const kind = this.#kinds.get(name);
    if (kind !== undefined) {
      kind.repeated += 1;
      return;
    }
    const timer = setInterval(() => {
      this.#summarize(name);
    }, SUMMARY_EVERY_MS).unref();
    this.#kinds.set(name, { first: name === OTHERS ? { ...line, ...OF_OTHERS } : line, timer, repeated: 0 });
    this.#write(line);
  }

  /** Writes the counts since the last summaries. */
  close(): void {
    for (const [name, { timer }] of this.#kinds) {
      this.#summarize(name);
      clearInterval(timer);
    }
    this.#kinds.clear();
  }

  /** Writes a kind's summary. A kind without further lines is forgotten: its next line is written at once. */
  #summarize(name: string): void {
    const kind = this.#kinds.get(name);
    if (kind === undefined) return;
    const { first, timer, repeated } = kind;
    if (repeated === 0) {
      clearInterval(timer);
      this.#kinds.delete(name);
      return;
    }
    kind.repeated = 0;
    const shared = Object.entries(first.fields).filter(([field]) => !OF_ONE_LINE.includes(field));
    this.#write({ ...first, time: new Date(), fields: { ...Object.fromEntries(shared), repeated } });
  }
}

/**
 * Returns the kind of a line. Numbers in its message do not change the kind, since the native part counts its
 * attempts there. The code identifies a paysession error. A problem is a kind of its own for each session, because a
 * person has to check each.
 */
function kindOf({ level, message, fields }: LogLine): string {
  const { account, cause, code, component, endpoint, error, problem, sessionKey, state, workers } = fields;
  const what = code ?? [message.replace(/\d+/g, '0'), error, cause, state, workers];
  const session = problem === undefined ? undefined : [problem, sessionKey];
  return JSON.stringify([level, component, what, account, endpoint, session]);
}

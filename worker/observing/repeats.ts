import type { LogLine } from './log-line';

/** The maximum number of kinds of lines to count separately. All lines of further kinds are counted together. */
const MOST_KINDS = 500;
const OTHERS = 'others';
/** The parts of the summary line for all further kinds together. */
const OF_OTHERS = {
  level: 'WARN',
  message: `lines of other kinds were counted and not written, because there were already ${MOST_KINDS} kinds`,
  fields: {},
} as const;
const SUMMARY_EVERY_MS = 60_000;

/** Fields that may differ between lines of the same kind. A summary counts many lines, so it leaves these fields out. */
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
 * Keeps repeated lines out of the log. The first line of a kind is written at once. Later lines of that kind are only counted, and once
 * a minute a summary line shows their number. So an outage causes one line at first and then one line a minute, even if it affects
 * thousands of sessions.
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

  /** Writes the summary of a kind. If there were no lines since the last summary, forgets the kind: its next line is written at once. */
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
 * Returns the kind of a line. Lines of the same kind are alike except for the session, the attempt and the like. An error code alone
 * decides the kind. Without a code, the message decides, apart from its numbers: the SDK's native part counts attempts in them. A
 * session's problem makes a kind for each session, because an operator must check each of these sessions.
 */
function kindOf({ level, message, fields }: LogLine): string {
  const { account, cause, code, component, endpoint, error, problem, sessionKey, state, workers } = fields;
  const what = code ?? [message.replace(/\d+/g, '0'), error, cause, state, workers];
  const session = problem === undefined ? undefined : [problem, sessionKey];
  return JSON.stringify([level, component, what, account, endpoint, session]);
}

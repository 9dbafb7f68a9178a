import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { relay, type TrueAnswer } from '../service/relay';
import { CODED_LIES, CREATE_LIES, LIES, type FalseAnswer, type Lie } from './lies';

export interface LyingServiceOptions {
  /** The URL of the sandbox, which answers truthfully. */
  readonly truth: string;
  /** Returns a random number from 0 to 1. It decides which answers are lies, and which lies. */
  readonly random: () => number;
}

export interface LyingService {
  readonly baseUrl: string;
  /** The number of times that each lie was sent, by the lie's name. */
  readonly told: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * On each route of a session, the first answer is a lie. Later, one of three answers is a lie. After eight lies, the service always sends
 * the truth, so that each session can end.
 */
const LIES_OF = 3;
const MAX_LIES = 8;
/** One of twelve answers to create requests is a lie. Such lies are rare, because a session is parked after several lost answers. */
const CREATE_LIES_OF = 12;

/** Starts a proxy in front of the payment service that lies about sessions. Every call reaches the service. */
export async function startLyingService({ truth, random }: LyingServiceOptions): Promise<LyingService> {
  const told = new Map<string, number>();
  const about = new Map<string, number>();

  const lieFor = (path: string, answer: TrueAnswer): Lie | undefined => {
    // Only a successful answer about a session can be replaced by a lie about that session.
    if (path.endsWith('/authorize') || answer.status >= 300) return undefined;
    const isCreate = path.endsWith('/sessions');
    const subject = isCreate ? 'creates' : path;
    const count = about.get(subject) ?? 0;
    const isTrue = random() >= 1 / (isCreate ? CREATE_LIES_OF : LIES_OF);
    if (isCreate ? isTrue : count > 0 && (isTrue || count >= MAX_LIES)) return undefined;
    about.set(subject, count + 1);
    const hasCodes = answer.body['type'] !== 'e-Transfer' && 'statusDetails' in answer.body;
    const lies = Object.entries(isCreate ? CREATE_LIES : { ...LIES, ...(hasCodes && CODED_LIES) });
    const times = ([name]: readonly [string, unknown]) => told.get(name) ?? 0;
    // Chooses one of the lies that were sent least often, so that all kinds of lies occur.
    const next = lies.filter((one) => times(one) === Math.min(...lies.map(times)));
    const [name, lie] = next[Math.floor(random() * next.length)] ?? [];
    if (name !== undefined) told.set(name, (told.get(name) ?? 0) + 1);
    return lie;
  };

  const server = createServer((request, response) => {
    void relay(truth, request).then((answer) => {
      const lie = lieFor(request.url ?? '', answer);
      const sent =
        lie === undefined
          ? { status: answer.status, body: JSON.stringify(answer.body) }
          : lie(answer, request.headers.authorization ?? '');
      send(response, sent);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, answer: FalseAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.destroy();
    return;
  }
  if (answer === 'drip') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(answer.body);
}

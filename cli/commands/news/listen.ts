import { randomBytes } from 'node:crypto';
import {
  newsPost,
  sendNews,
  type Delivery,
  type News,
  type NewsKind,
  type NewsMessage,
} from '../../../ledger';
import { leadsHere } from '../../../src/contract/values/loopback';
import { SettingsError } from '../../../src/errors';
import type { NewsEndpoint } from '../../../src/settings';
import { isNewsUrl } from '../../../src/settings/news/address';
import { abortOnSignal } from '../../shared/until-signal';
import {
  formatState,
  oneLine,
  printJsonLine,
  printLine,
  printProgress,
  printWarning,
  type JsonLinesOption,
} from '../../shared/output';
import { checkUnlessAway, withLedger } from '../../shared/ledger';
import { newSecret } from './new-secret';
import { printEvent } from './send';

export interface ListenOptions extends JsonLinesOption {
  readonly forward?: string;
  readonly kind?: readonly NewsKind[];
  readonly account?: readonly string[];
}

/** Throws `SettingsError`, and what the ledger says where it cannot be used. */
export async function listenUntilSignal(options: ListenOptions): Promise<void> {
  const { forward, kind, account } = options;
  if (forward !== undefined && !isHere(forward)) throw notHere();
  const secret = newSecret();
  const endpoint: NewsEndpoint = {
    name: `listen-${randomBytes(4).toString('hex')}`,
    url: forward ?? 'http://127.0.0.1/',
    secrets: [secret],
    kinds: kind,
    accounts: account,
  };
  const signal = abortOnSignal();
  const http = newsPost({ allowsLoopback: true });
  await withLedger(async (ledger) => {
    await checkUnlessAway(ledger);
    printProgress(`Listening to news of ${ledger.environment}. Ctrl-C stops it.`);
    if (forward !== undefined) printProgress(`Forwarding to ${forward}, signed with ${secret}`);
    try {
      await sendNews({
        ledger,
        endpoints: [endpoint],
        post: {
          send: async (_endpoint, message): Promise<Delivery> => {
            printMessage(message, options);
            const answer = forward === undefined ? undefined : await http.send(endpoint, message);
            if (answer?.delivered === false) printWarning(`${forward} answered: ${answer.outcome}`);
            // Whoever develops a receiver starts it anew often: nothing waits for that.
            return { delivered: true, outcome: 'printed' };
          },
          close: () => http.close(),
        },
        onEvent: (event) => {
          if (event.kind === 'away' || event.kind === 'withheld') printEvent(event, options);
        },
        isPassing: true,
        signal,
      });
    } finally {
      await http.close();
      await ledger.newsEndpoints.forget(endpoint.name).catch(() => undefined);
    }
  });
}

function printMessage({ id, body }: NewsMessage, { jsonl }: JsonLinesOption): void {
  const news = JSON.parse(body) as News;
  if (jsonl) {
    printJsonLine({ id, ...news });
    return;
  }
  const { type, timestamp, data } = news;
  printLine(`${timestamp}  ${type.padEnd(WIDEST)}  ${oneLine(data.key)}  ${formatState(data.state)}`);
}

const WIDEST = 'session.state_changed'.length;

const isHere = (url: string): boolean => isNewsUrl(url, true) && leadsHere(new URL(url).hostname);

function notHere(): SettingsError {
  const message =
    'must be a URL of this machine, such as http://localhost:3000/news; for others, set PAYSESSION_NEWS_URL';
  return new SettingsError([{ path: '--forward', message }]);
}

import { newsPost, sendNews, type NewsEvent } from '../../../ledger';
import { NewsMetrics } from '../../../ledger/news/news-metrics';
import { LOOK_AT_ENDPOINTS_EVERY_MS } from '../../../src/protocol/news-metrics';
import { SettingsError } from '../../../src/errors';
import { readNews, type NewsSettings } from '../../../src/settings';
import { serveMetrics } from '../../shared/run/serve-metrics';
import { abortOnSignal } from '../../shared/run/until-signal';
import { warnOfExposedFiles } from '../../shared/run/settings-warnings';
import {
  oneLine,
  printJsonLine,
  printLine,
  printProgress,
  type JsonLinesOption,
} from '../../shared/screen/output';
import { checkUnlessAway, withLedger } from '../ledger/open-ledger';
import { repeatUntil } from '../../../worker/repeat-until';

export interface SendOptions extends JsonLinesOption {
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Throws `SettingsError`, `PaysessionError` `INVALID_FILE` or `PORT_IN_USE`, and what the ledger says where it cannot be used. */
export async function sendUntilSignal(options: SendOptions): Promise<void> {
  const { endpoints, allowsLoopback } = requiredNews();
  warnOfExposedFiles();
  const signal = abortOnSignal();
  await withLedger(async (ledger) => {
    await checkUnlessAway(ledger);
    const names = endpoints.map(({ name }) => name);
    const metrics = new NewsMetrics(names);
    const server = await serveMetrics(options, () => metrics.text());
    const post = newsPost({ allowsLoopback });
    try {
      printProgress(`Sending news of ${ledger.environment} to ${names.join(', ')}. Ctrl-C stops it.`);
      const onEvent = (event: NewsEvent): void => {
        metrics.count(event);
        printEvent(event, options);
      };
      if (server !== undefined)
        void repeatUntil(signal, async () => {
          // While the ledger is away, the sender says so, and the last figures stay.
          metrics.standings = await ledger.newsEndpoints.all().catch(() => metrics.standings);
          return LOOK_AT_ENDPOINTS_EVERY_MS;
        });
      await sendNews({ ledger, endpoints, post, onEvent, signal });
    } finally {
      await post.close();
      await server?.close();
    }
  });
}

function requiredNews(): NewsSettings {
  const news = readNews();
  if (news !== undefined) return news;
  const message =
    'is missing: set it with PAYSESSION_NEWS_SECRET, or name a file of endpoints in PAYSESSION_NEWS_FILE';
  throw new SettingsError([{ path: 'PAYSESSION_NEWS_URL', message }]);
}

export function printEvent(event: NewsEvent, { jsonl }: JsonLinesOption): void {
  const at = new Date().toISOString();
  if (jsonl) printJsonLine({ at, ...event });
  else printLine(`${at}  ${textOf(event)}`);
}

function textOf(event: NewsEvent): string {
  switch (event.kind) {
    case 'delivered':
      return `${event.endpoint}  ${event.type}  ${oneLine(event.key)}`;
    case 'refused':
      return `${event.endpoint}  ${event.type}  ${oneLine(event.key)}  refused: ${event.outcome}; it is tried again`;
    case 'withheld':
      return `${event.endpoint}  ${oneLine(event.key)}  NOT SENT: ${oneLine(event.message)}`;
    case 'givenUp':
      return `${event.endpoint} has refused news of ${oneLine(event.key)} for three days (${event.outcome}): it is given up. \`paysession news replay\` sends it again.`;
    case 'down':
      return `${event.endpoint} refuses all news (${event.outcome}): one message at a time is tried.`;
    case 'up':
      return `${event.endpoint} takes news again.`;
    case 'failing':
      return `${event.endpoint} GETS NO NEWS ANY MORE (${event.outcome}): fix it, then run \`paysession news replay --endpoint ${event.endpoint}\`.`;
    case 'differs':
      return `Another sender has ${event.endpoint} with another URL, other secrets or other filters: give all of them the same.`;
    case 'away':
      return `News waits: ${event.message}`;
  }
}

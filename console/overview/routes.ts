import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import type { ConsoleOptions } from '../options';
import type { Live } from '../reading/live';
import type { Reading } from '../reading/reading';
import { sendConsolePage } from '../server/page';
import { readerOf } from '../server/reader';
import { Overview } from './overview';
import { overviewContent } from './page';
import { textsOf } from '../texts';

interface OverviewContext extends Pick<ConsoleOptions, 'sessions'> {
  readonly reading: Reading;
  readonly live: Live;
}

/** What an operator looks at first. */
export function overviewRoutes(app: FastifyInstance, { sessions, reading, live }: OverviewContext): void {
  const overview = new Overview(reading, sessions);
  const content = async (language: Language): Promise<Html> =>
    overviewContent(await overview.read(), language);

  app.get('/', async (request, reply) => {
    const { language } = readerOf(request);
    return sendConsolePage(request, reply, {
      title: textsOf(language).overview.title,
      place: 'overview',
      content: html`<div data-live="/events/overview">${await content(language)}</div>`,
    });
  });

  app.get('/events/overview', (request, reply) => {
    const { language } = readerOf(request);
    return live.send(request, reply, `${language} overview`, {
      render: () => content(language),
      reach: () => reading.reach(),
    });
  });
}

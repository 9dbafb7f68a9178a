import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../src/web/html';
import type { Live } from '../reading/live';
import type { Reading } from '../reading/reading';
import { sendConsolePage } from '../page';
import { readerOf, type ReaderLocale } from '../access/reader';
import { textsOf } from '../texts';
import { Overview, type OverviewOptions } from './overview-figures';
import { overviewContent } from './overview-page';

interface OverviewContext extends OverviewOptions {
  readonly reading: Reading;
  readonly live: Live;
}

/** Adds the overview, an operator's first page, and the stream of its changes. */
export function overviewRoutes(app: FastifyInstance, { reading, live, ...options }: OverviewContext): void {
  const overview = new Overview(reading, options);
  const content = async (locale: ReaderLocale): Promise<Html> =>
    overviewContent(await overview.read(), locale);

  app.get('/', async (request, reply) => {
    const reader = readerOf(request);
    return sendConsolePage(request, reply, {
      title: textsOf(reader.language).overview.title,
      place: 'overview',
      content: html`<div data-live="/events/overview">${await content(reader)}</div>`,
    });
  });

  app.get('/events/overview', (request, reply) => {
    const reader = readerOf(request);
    return live.send(request, reply, `${reader.language} overview`, {
      render: () => content(reader),
      reach: () => reading.reach(),
    });
  });
}

import type { FastifyInstance } from 'fastify';
import { html, type Html } from '../../web/html';
import type { Language } from '../../web/language';
import { sharedOf } from '../reading/of-console';
import type { ConsoleOptions } from '../server/options';
import { sendConsolePage } from '../server/page';
import { readerOf } from '../server/reader';
import { Overview } from './overview';
import { overviewContent } from './page';
import { overviewTexts } from './texts';

/** What an operator looks at first. */
export function overviewRoutes(app: FastifyInstance, options: ConsoleOptions): void {
  const { reading, live } = sharedOf(options);
  const overview = new Overview(reading, options.sessions);
  const content = async (language: Language): Promise<Html> =>
    overviewContent(await overview.read(), language);

  app.get('/', async (request, reply) => {
    const { language } = readerOf(request);
    return sendConsolePage(request, reply, {
      title: overviewTexts(language).title,
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

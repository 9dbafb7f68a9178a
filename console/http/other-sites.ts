import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isFromOtherSite, isVisit } from '../../web/forms';
import { Refusal } from './refusal';

/**
 * From another site only people come, by a link or back from a login. What a page there asks for by itself is refused: on this
 * machine, where nobody logs in, each such request would have the engine asked.
 */
export function refuseOtherSites(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isVisit(request)) refuseOtherSite(request);
    done();
  });
}

/** Throws a 403 where the browser says that another site has asked. A program that says nothing may. */
export function refuseOtherSite(request: FastifyRequest): void {
  if (isFromOtherSite(request)) throw new Refusal('otherSite');
}

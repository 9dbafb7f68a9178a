import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readForm } from '../../web/api/bodies';
import { isFromOrigin, type FormTokens } from '../../web/forms';
import { operatorOnly } from './reader';
import { Refusal } from '../http/refusal';

/** What is asked of a form, whatever it is for. */
export interface FormGuard {
  readonly tokens: FormTokens;
  /** The one origin of forms. @default the host that was asked, on this machine */
  readonly origin: string | undefined;
}

/** Everything but reading comes from a form of this console, of the login that it is sent with, by an operator. */
export function guardForms(app: FastifyInstance, { tokens, origin }: FormGuard): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (changesSomething(request)) {
      if (!isFromOrigin(request, origin ?? `http://${request.headers.host ?? ''}`))
        throw new Refusal('otherOrigin');
      if (request.routeOptions.config.isForViewers !== true) operatorOnly(request);
    }
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => {
    if (changesSomething(request)) {
      const token = readForm(request, 415).get('csrf') ?? '';
      if (!tokens.fits(request.visitor?.loginId ?? '', token)) throw new Refusal('staleForm');
    }
    done();
  });
}

/** A route that does not exist has its own answer. */
export const changesSomething = (request: FastifyRequest): boolean =>
  !request.is404 && request.method !== 'GET' && request.method !== 'HEAD';

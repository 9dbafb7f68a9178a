import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJsonObject } from '../../web/bodies';
import type { ControlContext } from './context';
import { HttpProblem, unknownSession } from '../../web/problems';
import type { SessionEvent, Refusal } from '../sessions/transitions';
import { detailsView, statusView } from '../api/views';
import { CONTROL_ROUTES } from './routes';
import { eventSchema, parsed } from './schemas';

const WHY: Readonly<Record<Refusal, string>> = {
  ended: 'The session has ended already.',
  wrongKind: 'This event does not happen to a session of this kind.',
  amountMissing: 'The session has no amount yet: send amountEntered first.',
  amountFixed: 'The session’s amount cannot be changed.',
  amountOutOfBounds: 'The amount is outside the session’s bounds.',
  bankNotValidated: 'The bank account is not validated yet: send bankValidated first.',
};

/** Reads any session, and makes things happen to it. */
export function sessionControl(app: FastifyInstance, { sessions, config }: ControlContext): void {
  app.get(CONTROL_ROUTES.readSession.path, (request) => {
    const session = sessions.get(sessionIdOf(request));
    if (session === undefined) throw unknownSession();
    return detailsView(session, config.codeMember);
  });

  app.post(CONTROL_ROUTES.act.path, (request) => {
    const event: SessionEvent = parsed(eventSchema, readJsonObject(request, 415));
    const result = sessions.apply(sessionIdOf(request), event);
    if (result.accepted) {
      const { session } = result;
      return { ...statusView(session, config.codeMember), step: session.state.step };
    }
    throw result.reason === 'unknownSession' ? unknownSession() : new HttpProblem(409, WHY[result.reason]);
  });
}

const sessionIdOf = ({ params }: FastifyRequest): string =>
  (params as { readonly sessionId: string }).sessionId;

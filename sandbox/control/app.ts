import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readJsonObject } from '../../src/web/bodies';
import { HttpProblem, answerProblems } from '../../src/web/problems';
import { httpServer } from '../../src/web/http-server';
import { isLoopbackHost } from '../../src/contract/values/loopback';
import { onlyHosts, isFromPage } from '../../src/web/guards';
import type { EventRefusal, SessionEvent } from '../sessions/transitions';
import { detailsView, statusView } from '../api/views';
import { Holds } from './holds';
import { CONTROL_ROUTES } from './routes';
import {
  advanceSchema,
  callsSchema,
  eventSchema,
  faultSchema,
  holdSchema,
  moneySchema,
  parsed,
  playSchema,
  reconciliationSchema,
  waitSchema,
} from './schemas';
import { linesOfSession, reconciliationFile } from '../sessions/reconciliation-file';
import type { TokenStore } from '../api/tokens';
import type { CallLog } from '../calls/calls';
import type { Faults } from '../calls/faults';
import type { SandboxConfig } from '../options';
import { moveMoney, play } from '../sessions/playing';
import type { EventResult, SessionStore } from '../sessions/session-store';
import type { MovableClock } from '../clock';
import { unknownSession, sessionIdOf } from '../calls/routes';
import { onceStored, type StoredContext } from '../calls/surround-calls';

/** Parts of the sandbox that the control port controls. */
interface ControlContext extends StoredContext {
  readonly config: SandboxConfig;
  readonly clock: MovableClock;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly calls: CallLog;
  readonly faults: Faults;
}

/**
 * Returns the HTTP server of the control port, through which tests in any language control the sandbox. Each `listenControl` starts a new
 * one.
 */
export function buildControlApp(context: ControlContext): FastifyInstance {
  const app = httpServer(context.config.maxBodyBytes);
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('cache-control', 'no-store');
    return onceStored(context, reply, payload);
  });
  onlyLocal(app);
  answerProblems(app, CONTROL_ROUTES);
  app.get(CONTROL_ROUTES.index.path, () => ({ routes: Object.values(CONTROL_ROUTES) }));
  clockControl(app, context);
  faultControl(app, context);
  holdControl(app, context);
  sessionControl(app, context);

  app.get(CONTROL_ROUTES.listCalls.path, (request) => {
    const { sessionId } = parsed(callsSchema, request.query);
    const calls = context.calls.all();
    return { calls: sessionId === undefined ? calls : calls.filter((call) => call.sessionId === sessionId) };
  });

  app.get(CONTROL_ROUTES.reconciliation.path, (request, reply) => {
    const query = parsed(reconciliationSchema, request.query);
    void reply.type('text/csv; charset=utf-8');
    return reconciliationFile(context.sessions.newestFirst(), query);
  });

  app.delete(CONTROL_ROUTES.revokeTokens.path, (_request, reply) => {
    context.tokens.revokeAll();
    return reply.code(204).send();
  });
  return app;
}

/** The furthest that the clock can be moved ahead, in milliseconds. JavaScript's dates end far beyond that. */
const MOST_OFFSET_MS = 100 * 365 * 86_400_000;

function clockControl(app: FastifyInstance, { clock }: ControlContext): void {
  const read = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs });

  app.get(CONTROL_ROUTES.readClock.path, read);

  app.post(CONTROL_ROUTES.advanceClock.path, (request) => {
    const offsetMs = clock.offsetMs + parsed(advanceSchema, bodyOf(request)).byMs;
    if (offsetMs > MOST_OFFSET_MS) throw new HttpProblem(409, 'The clock can be at most 100 years ahead.');
    clock.moveTo(offsetMs);
    return read();
  });
}

const MAX_FAULTS = 10_000;

function faultControl(app: FastifyInstance, { faults }: ControlContext): void {
  const list = () => ({ faults: faults.armed() });

  app.get(CONTROL_ROUTES.listFaults.path, list);

  app.post(CONTROL_ROUTES.armFault.path, (request, reply) => {
    const { route, fault, times } = parsed(faultSchema, bodyOf(request));
    if (faults.armed().length + times > MAX_FAULTS) {
      throw new HttpProblem(409, `There can be at most ${MAX_FAULTS} faults at once: clear some first.`);
    }
    faults.failNext(route, fault, times);
    return reply.code(201).send(list());
  });

  app.delete(CONTROL_ROUTES.clearFaults.path, () => {
    faults.clear();
    return list();
  });
}

function holdControl(app: FastifyInstance, { faults }: ControlContext): void {
  const holds = new Holds(faults);
  // Once the control port is closed, no caller can release the holds.
  app.addHook('preClose', (done) => {
    holds.releaseAll();
    done();
  });

  app.get(CONTROL_ROUTES.listHolds.path, () => ({ holds: holds.all() }));

  app.post(CONTROL_ROUTES.hold.path, (request, reply) =>
    reply.code(201).send(holds.add(parsed(holdSchema, bodyOf(request)))),
  );

  app.get(CONTROL_ROUTES.readHold.path, (request) =>
    holds.read(holdIdOf(request), parsed(waitSchema, request.query).waitMs),
  );

  app.delete(CONTROL_ROUTES.release.path, (request, reply) => {
    holds.release(holdIdOf(request));
    return reply.code(204).send();
  });
}

const bodyOf = (request: FastifyRequest): object => readJsonObject(request, 415);

const holdIdOf = ({ params }: FastifyRequest): string => (params as { readonly holdId: string }).holdId;

/** Refuses requests that a web page could send. A browser's headers say that a page sent the request, and for which host. */
function onlyLocal(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(
      isFromPage(request)
        ? new HttpProblem(403, 'The control port takes no requests from web pages.')
        : undefined,
    );
  });
  onlyHosts(
    app,
    isLoopbackHost,
    () => new HttpProblem(403, 'The control port answers only as 127.0.0.1, localhost or [::1].'),
  );
}

const WHY: Readonly<Record<EventRefusal, string>> = {
  ended: 'The session has ended, or waits only for its signature.',
  wrongKind: 'This event does not happen to a session of this kind.',
  amountMissing: 'The session has no amount yet: send amountEntered first.',
  amountFixed: 'The session’s amount cannot be changed.',
  amountOutOfBounds: 'The amount is outside the session’s bounds.',
  bankNotValidated: 'The bank account is not validated yet: send bankValidated first.',
};

/** Adds the routes that read any session, apply events to it and move its money. */
function sessionControl(app: FastifyInstance, { sessions, config, clock }: ControlContext): void {
  const answerOf = (result: EventResult) => {
    if (result.accepted) {
      const { session } = result;
      return { ...statusView(session, config.codeMember), step: session.state.step };
    }
    throw result.reason === 'unknownSession' ? unknownSession() : new HttpProblem(409, WHY[result.reason]);
  };

  const sessionOf = (request: FastifyRequest) => {
    const session = sessions.get(sessionIdOf(request));
    if (session === undefined) throw unknownSession();
    return session;
  };

  app.get(CONTROL_ROUTES.readSession.path, (request) => detailsView(sessionOf(request), config.codeMember));

  app.post(CONTROL_ROUTES.act.path, (request) => {
    const event: SessionEvent = parsed(eventSchema, bodyOf(request));
    return answerOf(sessions.apply(sessionIdOf(request), event));
  });

  app.post(CONTROL_ROUTES.play.path, (request) => {
    const { choice } = parsed(playSchema, bodyOf(request));
    return answerOf(play(sessions, sessionOf(request), choice, config));
  });

  app.post(CONTROL_ROUTES.money.path, (request, reply) => {
    const money = parsed(moneySchema, bodyOf(request));
    const session = sessionOf(request);
    const returnCode = money.kind === 'returned' ? money.code : undefined;
    const nowMs = clock.now();
    const moved = moveMoney(sessions, session, { nowMs, returnCode });
    if (moved === undefined) throw new HttpProblem(409, 'The session is not paid: play its payor first.');
    void reply.type('text/csv; charset=utf-8');
    return linesOfSession(moved, nowMs);
  });
}

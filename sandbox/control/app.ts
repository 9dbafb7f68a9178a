import type { FastifyInstance, FastifyRequest } from 'fastify';
import { whenKept } from '../http/when-kept';
import { readJsonObject } from '../../web/bodies';
import type { ControlContext } from './context';
import { answerProblems } from '../../web/problem-answers';
import { HttpProblem } from '../../web/problems';
import { httpServer } from '../../web/http-server';
import { Holds } from './holds';
import { onlyLocal } from './only-local';
import { allowedControlMethods, CONTROL_ROUTES } from './routes';
import { advanceSchema, callsSchema, faultSchema, holdSchema, parsed, waitSchema } from './schemas';
import { sessionControl } from './session-control';

/** The HTTP server through which tests of any language control the sandbox, good for one `listen`. */
export function buildControlApp(context: ControlContext): FastifyInstance {
  const app = httpServer(context.config.maxBodyBytes);
  app.addHook('onSend', async (_request, reply, payload) => {
    void reply.header('cache-control', 'no-store');
    return whenKept(context, reply, payload);
  });
  onlyLocal(app);
  answerProblems(app, allowedControlMethods);
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

  app.delete(CONTROL_ROUTES.revokeTokens.path, (_request, reply) => {
    context.tokens.revokeAll();
    return reply.code(204).send();
  });
  return app;
}

/** All time that can be moved; dates end some 270000 years later. */
const MOST_OFFSET_MS = 100 * 365 * 86_400_000;

function clockControl(app: FastifyInstance, { clock }: ControlContext): void {
  const read = () => ({ now: new Date(clock.now()).toISOString(), offsetMs: clock.offsetMs });

  app.get(CONTROL_ROUTES.readClock.path, read);

  app.post(CONTROL_ROUTES.advanceClock.path, (request) => {
    const offsetMs = clock.offsetMs + parsed(advanceSchema, bodyOf(request)).byMs;
    if (offsetMs > MOST_OFFSET_MS) throw new HttpProblem(409, 'The clock is a hundred years ahead already.');
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
  // Nobody is left to release them.
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

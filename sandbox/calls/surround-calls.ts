import { once } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock';
import type { CallLog, OpenCall } from './calls';
import type { Fault, Faults } from './faults';
import { HttpProblem, PROBLEM_TYPE, problemBody } from '../../src/web/problems';
import { routeNamed, type RouteName } from './routes';

const CALL = 'paysessionCall';

/** Returns the request's entry in the log of calls. A request for an unknown host has no entry. */
export function openCallOf(request: FastifyRequest): OpenCall {
  return request.getDecorator<OpenCall>(CALL);
}

export interface ObservingContext extends StoredContext {
  readonly calls: CallLog;
  readonly faults: Faults;
}

/** Records every call in `calls` and in the log, and applies the holds and faults that were set. */
export function surroundCalls(app: FastifyInstance, context: ObservingContext): void {
  const { calls, faults, config } = context;
  /** Requests that a fault has failed before they were processed. They get no second fault. */
  const failed = new WeakSet<FastifyRequest>();
  app.decorateRequest(CALL, null);

  app.addHook('onRequest', async (request, reply) => {
    const route = routeOf(request);
    request.setDecorator(CALL, calls.arrived({ method: request.method, route: route ?? 'unknown' }));
    if (route === undefined) return;
    await faults.pass(route, 'before');
    const fault = faults.take(route, 'before');
    if (fault === undefined) return;
    failed.add(request);
    if (fault.kind === 'status') return reply.send(faultyAnswer(reply, fault));
    reply.hijack();
    await breakConnection(request, fault);
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.getDecorator<OpenCall | null>(CALL) === null) return payload;
    const kept = await onceStored(context, reply, payload);
    const sent = await afterProcessing(context, request, reply, {
      payload: kept,
      hasFailed: failed.has(request),
    });
    if (!request.raw.socket.destroyed) openCallOf(request).answered(reply.statusCode);
    return sent;
  });

  app.addHook('onResponse', (request, reply, done) => {
    // Health checks come every few seconds. If the successful ones were logged, they would fill the log.
    if (routeOf(request) === 'health' && reply.statusCode < 400) {
      done();
      return;
    }
    const path = request.originalUrl.split('?')[0] ?? '';
    const at = new Date(config.clock.now()).toISOString();
    const durationMs = Math.round(reply.elapsedTime);
    config.log?.(`${at} ${request.method} ${path.slice(0, 200)} ${reply.statusCode} ${durationMs}ms`);
    done();
  });
}

/**
 * Waits at the next hold, if there is one. Then returns the answer. If a fault is set, returns the fault's answer or breaks the connection.
 */
async function afterProcessing(
  { faults }: ObservingContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, hasFailed }: { readonly payload: unknown; readonly hasFailed: boolean },
): Promise<unknown> {
  const route = routeOf(request);
  if (route === undefined) return payload;
  await faults.pass(route, 'after');
  const fault = hasFailed ? undefined : faults.take(route, 'after');
  if (fault === undefined) return payload;
  if (fault.kind === 'status') return faultyAnswer(reply, fault);
  await breakConnection(request, fault);
  return payload;
}

const routeOf = (request: FastifyRequest): RouteName | undefined =>
  routeNamed(request.method, request.routeOptions.url);

/** Sets the status and headers of a fault, and returns its body. */
function faultyAnswer(reply: FastifyReply, fault: Extract<Fault, { kind: 'status' }>): string {
  const { status, retryAfter, body, contentType = 'text/html' } = fault;
  reply.code(status).type(body === undefined ? PROBLEM_TYPE : contentType);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return (
    body ?? JSON.stringify(problemBody(new HttpProblem(status, 'The sandbox was set to fail this call.')))
  );
}

async function breakConnection({ raw }: FastifyRequest, { kind }: Fault): Promise<void> {
  if (kind === 'reset') raw.socket.resetAndDestroy();
  else if (!raw.socket.destroyed) await once(raw.socket, 'close');
}

const UNWRITABLE_RETRY_AFTER_S = 5;

/** The parts of the sandbox that `onceStored` uses. */
export interface StoredContext {
  readonly journal: {
    /** Resolves once every change made so far is on disk. Rejects if a change cannot be written. */
    flushed(): Promise<void>;
  };
  readonly config: { readonly clock: Clock; readonly log?: (line: string) => void };
}

/**
 * Returns the answer once all changes made so far are on disk. If they cannot be written, returns an error in place of the answer. The
 * answer to a read waits, too, because it may show the change of another call that has not been answered yet.
 */
export async function onceStored(
  { journal, config }: StoredContext,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  try {
    await journal.flushed();
    return payload;
  } catch (error) {
    config.log?.(
      `The data folder cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
    reply.code(503).type(PROBLEM_TYPE).header('retry-after', String(UNWRITABLE_RETRY_AFTER_S));
    return JSON.stringify(problemBody(new HttpProblem(503, 'The sandbox cannot write to its data folder.')));
  }
}

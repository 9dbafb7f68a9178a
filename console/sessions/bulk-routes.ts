import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dropOldest } from '../../src/contract/values/drop-oldest';
import { isPaysessionError, nameOf } from '../../src/errors';
import { currentPark } from '../../src/protocol/decisions';
import { standingOf } from '../../src/protocol/state/standing';
import type { SessionFilter, SessionSummary } from '../../src/sessions';
import { readForm } from '../../src/web/bodies';
import type { FormTokens } from '../../src/web/guards';
import { BULK_ACTS, resultsPath, type BulkAct, queryOf } from '../http/paths';
import { Refusal } from '../http/refusal';
import type { ConsoleOptions } from '../options';
import type { Reading } from '../reading/reading';
import { sendConsolePage } from '../page';
import { FOR_OPERATORS, readerOf, note } from '../access/reader';
import { isOffered } from '../session/acts/acts';
import { perform } from '../session/acts/perform';
import { textsOf } from '../texts';
import { isReason, readActForm, type ActForm } from '../session/acts/confirm-form';
import { listQuery, queryText } from './session-query';
import { previewPage, resultsPage, type BulkPreview, type BulkResult } from './bulk-pages';

/** The maximum number of sessions in one preview. A person can check this many before the confirmation. */
const MOST_SESSIONS = 50;
/** The maximum size of the form. It is enough for the longest possible key of each session, percent-encoded. */
const MAX_FORM_BYTES = 262_144;
/** The time that a preview waits for a session's state. Workers answer in milliseconds, unless they are busy after an outage. */
const STATE_WITHIN_MS = 10_000;
/** The maximum number of actions whose results are kept. This is enough, because the page after an action reads them immediately. */
const MAX_REMEMBERED = 100;

/** Filters for Temporal's index that leave out sessions to which an action does not apply. */
const FILTER_OF_ACT: Readonly<Record<BulkAct, SessionFilter>> = {
  cancel: {},
  refresh: {},
  retry: { phase: 'parked' },
  abandon: { phase: 'parked' },
};

interface BulkContext {
  readonly options: ConsoleOptions;
  readonly reading: Reading;
  /** Signs the list of sessions in a preview for its reader. */
  readonly tokens: FormTokens;
}

/** Adds actions on all sessions of a filtered list: a preview that names them, and the result of each. */
export function bulkRoutes(app: FastifyInstance, context: BulkContext): void {
  const results = new Map<string, readonly BulkResult[]>();
  for (const act of BULK_ACTS) {
    app.get(`/bulk/${act}`, FOR_OPERATORS, async (request, reply) =>
      sendPreview(request, reply, await previewOf(request, act, context)),
    );
    app.post(`/bulk/${act}`, { bodyLimit: MAX_FORM_BYTES }, (request, reply) =>
      take(request, reply, act, { ...context, results }),
    );
  }
  app.get('/bulk/results/:once', FOR_OPERATORS, (request, reply) => {
    const { once } = request.params as { readonly once: string };
    const reader = readerOf(request);
    return sendConsolePage(request, reply, {
      title: textsOf(reader.language).bulk.results.title,
      place: 'sessions',
      content: resultsPage(results.get(once), reader),
    });
  });
}

/** Reads at most 50 sessions of the list, newest first, and returns the preview of those to which the action applies. */
async function previewOf(
  request: FastifyRequest,
  act: BulkAct,
  { options, reading, tokens }: BulkContext,
): Promise<BulkPreview> {
  const query = queryOf(request);
  const list = listQuery(query, readerOf(request).timeZone);
  const { filter, mistakes, search, after } = list;
  // Without this check, an invalid filter would select all sessions.
  if (mistakes.length > 0 || search !== '' || Object.keys(filter).length === 0)
    throw new Refusal('unreadable');
  const narrowed = { ...FILTER_OF_ACT[act], ...filter, running: true };
  const { sessions: all, next } = await reading.page(narrowed, { size: MOST_SESSIONS, after });
  const applicable = all.filter((session) => isOffered(act, standingOf(session), {}));
  const decided = act === 'retry' || act === 'abandon' ? await waiting(act, applicable, options) : undefined;
  const sessions = decided?.map(({ session }) => session) ?? applicable;
  const parks = decided?.map(({ park }) => park) ?? [];
  return {
    act,
    sessions,
    parks,
    payments: await reading.paymentsOf(sessions),
    left: all.length - applicable.length,
    undecidable: applicable.length - sessions.length,
    ...(next !== undefined && { next: queryText(list, next) }),
    query: queryText(list, after),
    proof: tokens.of(textOfProof(request, act, { keys: sessions.map(({ key }) => key), parks })),
  };
}

/**
 * Returns the parked sessions, each with the id of its wait for a decision. Leaves out a session whose state cannot be read. For `retry`,
 * also leaves out a session whose create request was answered with a session id, because a retry could create that session twice.
 */
async function waiting(
  act: BulkAct,
  sessions: readonly SessionSummary[],
  { sessions: client }: ConsoleOptions,
): Promise<readonly { readonly session: SessionSummary; readonly park: string }[]> {
  const kept = await Promise.all(
    sessions.map(async (session) => {
      try {
        const state = await client.get(session.key).state({ timeoutMs: STATE_WITHIN_MS });
        const park = currentPark(state);
        const isLeftOut = park === undefined || (act === 'retry' && park.sessionId !== undefined);
        return isLeftOut ? [] : [{ session, park: park.id }];
      } catch (error) {
        if (!isPaysessionError(error)) throw error;
        return [];
      }
    }),
  );
  return kept.flat();
}

/** The keys of the sessions in a preview, and the ids of their waits in the same order. */
interface Named {
  readonly keys: readonly string[];
  readonly parks: readonly string[];
}

/** Returns the text that a preview's proof signs. It differs from every text that the token of a login signs. */
const textOfProof = (request: FastifyRequest, act: BulkAct, { keys, parks }: Named): string =>
  JSON.stringify([readerOf(request).loginId, act, keys, parks]);

function sendPreview(request: FastifyRequest, reply: FastifyReply, preview: BulkPreview): FastifyReply {
  const reader = readerOf(request);
  return sendConsolePage(request, reply, {
    title: textsOf(reader.language).bulk.acts[preview.act].question,
    place: 'sessions',
    content: previewPage(preview, reader),
  });
}

/** Acts on exactly the sessions that the preview has named to this reader. Redirects to the results. */
async function take(
  request: FastifyRequest,
  reply: FastifyReply,
  act: BulkAct,
  context: BulkContext & { readonly results: Map<string, readonly BulkResult[]> },
): Promise<FastifyReply> {
  const fields = readForm(request);
  const form = readActForm(fields);
  const keys = fields.getAll('key');
  const parks = fields.getAll('park');
  if (keys.length === 0 || keys.length > MOST_SESSIONS) throw new Refusal('incompleteForm');
  if (!context.tokens.fits(textOfProof(request, act, { keys, parks }), fields.get('named') ?? ''))
    throw new Refusal('notPreviewed');
  if (!isReason(form.reason)) {
    const preview = await previewOf(request, act, context);
    return sendPreview(request, reply.code(400), { ...preview, refused: form });
  }
  context.results.set(form.once, await performAll(request, { act, keys, parks, form }, context));
  dropOldest(context.results, MAX_REMEMBERED);
  return reply.redirect(resultsPath(form.once), 303);
}

/**
 * Starts all actions at once, so that a slow session does not delay the others. An unexpected error of one action must not hide the results
 * of the others.
 */
async function performAll(
  request: FastifyRequest,
  { act, keys, parks, form }: Named & { readonly act: BulkAct; readonly form: ActForm },
  { options }: BulkContext,
): Promise<readonly BulkResult[]> {
  const { operator } = readerOf(request);
  const order = { act, by: operator.name, reason: form.reason, requestId: form.once, sessionId: '' };
  return Promise.all(
    keys.map(async (key, at) => {
      try {
        const result = await perform(options, key, { ...order, park: parks[at] });
        note(options, request, { act, key, result });
        return { act, key, result };
      } catch (error) {
        note(options, request, { act, key, result: `failed: ${nameOf(error)}` });
        return { act, key, result: 'unexpected' as const };
      }
    }),
  );
}

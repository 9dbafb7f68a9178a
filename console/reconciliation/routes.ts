import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReconciledLine } from '../../ledger';
import { ReconciliationTally } from '../../ledger/reconciliation/totals';
import { decodeUtf8, NotUtf8Error } from '../../src/contract/values/outside-text';
import { isPaysessionError } from '../../src/errors';
import { readFileForm, readForm } from '../../src/web/bodies';
import { html, type Html } from '../../src/web/html';
import { notice } from '../../src/web/shell/parts';
import { clockIn, dayAfter } from '../../src/web/shell/time';
import { FOR_OPERATORS, note, readerOf } from '../access/reader';
import { queryOf } from '../http/paths';
import { Refusal } from '../http/refusal';
import type { ConsoleLedger, ConsoleOptions } from '../options';
import { sendConsolePage } from '../page';
import { isReason, readActForm, type RefusedReason } from '../session/acts/confirm-form';
import { textsOf } from '../texts';
import { explainPage, explainRunPage } from './explain-page';
import { DONE, queuePage } from './queue-page';
import { layoutOf, previewPage, typedLayout, uploadForm, type UploadFaults } from './upload-pages';

/** The largest file of a form. The command line also accepts larger files. */
const MOST_FILE_BYTES = 4 * 1_024 * 1_024;
/** The maximum size of the form's other fields, and of the headers of all its parts. */
const FIELD_BYTES = 16_384;
/** The maximum size of the form that records a file. The form contains the file in base64, and escapes the characters `+`, `/` and `=`. */
const MOST_RECORD_BYTES = 2 * MOST_FILE_BYTES;

const PAGE_SIZE = 50;
const RUNS_SHOWN = 10;
const DAYS_SHOWN = 30;
/** The maximum number of lines that a preview names. */
const LINES_SHOWN = 100;

interface ReconciliationContext {
  readonly options: ConsoleOptions;
  readonly ledger: ConsoleLedger;
}

/** Adds the pages of reconciliation: the upload and dry run of a file, the queue of unmatched lines, and the explanation of lines. */
export function reconciliationRoutes(app: FastifyInstance, context: ReconciliationContext): void {
  const { ledger } = context;
  app.get('/reconciliation', (request, reply) => sendQueue(request, reply, ledger));
  app.post(
    '/reconciliation/preview',
    { bodyLimit: MOST_FILE_BYTES + FIELD_BYTES, config: { hasFile: true, isRepeatable: true } },
    (request, reply) => preview(request, reply, context),
  );
  app.post('/reconciliation/record', { bodyLimit: MOST_RECORD_BYTES }, (request, reply) =>
    record(request, reply, context),
  );
  app.get('/reconciliation/lines/:id', FOR_OPERATORS, (request, reply) => sendLine(request, reply, ledger));
  app.post('/reconciliation/lines/:id', (request, reply) => explain(request, reply, context));
  app.get('/reconciliation/runs/:id', FOR_OPERATORS, (request, reply) => sendRun(request, reply, ledger));
  app.post('/reconciliation/runs/:id', (request, reply) => explainRun(request, reply, context));
  // These addresses accept only forms. A reader who opens one, for example after a change of language, begins again.
  for (const step of ['preview', 'record'])
    app.get(`/reconciliation/${step}`, (_request, reply) => reply.redirect('/reconciliation', 303));
}

function send(request: FastifyRequest, reply: FastifyReply, title: string, content: Html): FastifyReply {
  return sendConsolePage(request, reply, { title, place: 'reconciliation', content });
}

async function sendQueue(
  request: FastifyRequest,
  reply: FastifyReply,
  { unmatched, payments }: ConsoleLedger,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const query = queryOf(request);
  const [, place] = /^(\d{1,15})$/.exec(query.get('after') ?? '') ?? [];
  const { timeZone, lateAfterDays } = payments;
  const { day: to } = clockIn(new Date(), timeZone);
  const [page, totals, runs, arrivals] = await Promise.all([
    unmatched.page({ size: PAGE_SIZE, after: place === undefined ? undefined : Number(place) }),
    unmatched.totals(),
    unmatched.runs({ size: RUNS_SHOWN }),
    payments.arrivals({ from: dayAfter(to, 1 - DAYS_SHOWN), to }),
  ]);
  const done = DONE.find((one) => one === query.get('done'));
  const isFirst = place === undefined;
  const shown = { page, totals, runs, arrivals, lateAfterDays, timeZone, isFirst, done };
  const { title } = textsOf(reader.language).reconciliation;
  return send(request, reply, title, queuePage(shown, uploadForm(reader), reader));
}

/** Reads a file without recording it, and asks for confirmation. */
async function preview(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, ledger }: ReconciliationContext,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const { upload, preview: texts } = textsOf(reader.language).reconciliation;
  const { fields, file } = readFileForm(request);
  const typed = typedLayout(fields);
  const layout = layoutOf(typed);
  const faults: UploadFaults = {
    ...(file === undefined && { file: true }),
    ...(layout === undefined && { columns: true }),
  };
  const refuse = (refused?: keyof typeof upload.why) => {
    const form = uploadForm(reader, typed, { ...faults, ...(refused === 'columns' && { layout: true }) });
    const why = refused && notice('bad', upload.refused, upload.why[refused]);
    return send(request, reply.code(400), upload.title, html`${why} ${form}`);
  };
  if (file === undefined || layout === undefined) return refuse();
  await refuseOtherEnvironment(ledger);
  const { name } = file;
  const totals = new ReconciliationTally();
  const unmatched: ReconciledLine[] = [];
  try {
    const text = decodeUtf8(file.bytes);
    for await (const line of ledger.reconcile(text, { ...layout, name, dryRun: true })) {
      totals.add(line);
      if (line.outcome === 'unmatched' && unmatched.length < LINES_SHOWN) unmatched.push(line);
    }
    note(options, request, { act: 'reconcile', result: 'checked' });
    const run = { name, text, typed, totals: totals.get(), unmatched };
    return await send(request, reply, texts.title, previewPage(run, reader));
  } catch (error) {
    if (error instanceof NotUtf8Error) return refuse('encoding');
    if (isPaysessionError(error, 'INVALID_FILE'))
      return refuse(file.bytes.length === 0 ? 'empty' : 'columns');
    throw error;
  }
}

/**
 * Refuses to reconcile if workers record payments only in other environments of the ledger. In this environment, no line would ever find
 * its payment.
 */
async function refuseOtherEnvironment({ namespaces }: ConsoleLedger): Promise<void> {
  if ((await namespaces.otherEnvironments()).length > 0) throw new Refusal('otherEnvironment');
}

/** Records a file that an operator has confirmed. Lines that are already recorded change nothing. */
async function record(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, ledger }: ReconciliationContext,
): Promise<FastifyReply> {
  const fields = readForm(request);
  const layout = layoutOf(typedLayout(fields));
  const encoded = fields.get('file') ?? '';
  if (layout === undefined || encoded === '') throw new Refusal('incompleteForm');
  await refuseOtherEnvironment(ledger);
  const name = fields.get('name') ?? '';
  const text = Buffer.from(encoded, 'base64').toString();
  const totals = new ReconciliationTally();
  const runId = randomUUID();
  try {
    for await (const line of ledger.reconcile(text, { ...layout, name, runId })) totals.add(line);
  } catch (error) {
    // The file cannot be read. The preview offers its form only for a readable file, so this form is not the preview's.
    throw isPaysessionError(error, 'INVALID_FILE') ? new Refusal('incompleteForm') : error;
  }
  const { recorded, known, unmatched } = totals.get();
  note(options, request, {
    act: 'reconcile',
    result: `run ${runId}: recorded ${recorded}, known ${known}, unmatched ${unmatched}`,
  });
  return reply.redirect('/reconciliation?done=recorded', 303);
}

async function sendLine(
  request: FastifyRequest,
  reply: FastifyReply,
  { unmatched }: ConsoleLedger,
  refused?: RefusedReason,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const line = await unmatched.get(idOf(request));
  if (line === undefined) throw new Refusal('notFound');
  const { title } = textsOf(reader.language).reconciliation.explain;
  return send(request, reply, title, explainPage(line, reader, refused));
}

/** Records a person's explanation of a line. */
async function explain(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, ledger }: ReconciliationContext,
): Promise<FastifyReply> {
  const { reason, refused } = readReason(request);
  if (refused !== undefined) return sendLine(request, reply.code(400), ledger, refused);
  const id = idOf(request);
  if ((await ledger.unmatched.get(id)) === undefined) throw new Refusal('notFound');
  const outcome = await ledger.explainLine(id, { by: readerOf(request).operator.name, reason });
  note(options, request, { act: 'explain', result: `line ${id}: ${outcome}` });
  // If another operator has already explained the line, or a run has matched it, nothing changes, and the line's page shows why.
  return reply.redirect(outcome === 'explained' ? '/reconciliation?done=explained' : request.url, 303);
}

async function sendRun(
  request: FastifyRequest,
  reply: FastifyReply,
  { unmatched }: ConsoleLedger,
  refused?: RefusedReason,
): Promise<FastifyReply> {
  const reader = readerOf(request);
  const id = idOf(request);
  const [[run], totals] = await Promise.all([unmatched.runs({ size: 1, id }), unmatched.totals(id)]);
  if (run === undefined) throw new Refusal('notFound');
  const { runTitle } = textsOf(reader.language).reconciliation.explain;
  return send(request, reply, runTitle, explainRunPage({ run, totals }, reader, refused));
}

/** Records a person's explanation of all waiting lines of a run. */
async function explainRun(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, ledger }: ReconciliationContext,
): Promise<FastifyReply> {
  const { reason, refused } = readReason(request);
  if (refused !== undefined) return sendRun(request, reply.code(400), ledger, refused);
  const id = idOf(request);
  const explained = await ledger.explainRun(id, { by: readerOf(request).operator.name, reason });
  note(options, request, { act: 'explain', result: `run ${id}: explained ${explained}` });
  // If no line of the run waited any more, the run's page says so.
  return reply.redirect(explained > 0 ? '/reconciliation?done=runExplained' : request.url, 303);
}

/** Reads the reason of an explanation. `refused` is present if the reason is empty or too long. */
function readReason(request: FastifyRequest): { readonly reason: string; readonly refused?: RefusedReason } {
  const { reason, once } = readActForm(readForm(request));
  return { reason, ...(!isReason(reason) && { refused: { reason, once } }) };
}

const idOf = ({ params }: FastifyRequest): string => (params as { readonly id: string }).id;

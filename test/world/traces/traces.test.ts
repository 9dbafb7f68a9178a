import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { trace } from '@opentelemetry/api';
import type { PaymentSessionHandle, SessionRequest } from '../../../src';
import { completing, leftOpen, overTheLimit } from '../../support/requests';
import { until } from '../../support/wait';
import { QUICK } from '../../support/worlds/world';
import { use } from '../../support/worlds/use';
import { pathOf, type ReceivedSpan } from '../../support/traces/collector';
import { createTracedWorld } from '../../support/traces/traced-world';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const world = use(createTracedWorld, (made) => made.close());

/** Opens a session within the trace of a shop's checkout. */
async function checkout(
  request: SessionRequest,
  account = 'default',
): Promise<{ readonly session: PaymentSessionHandle; readonly sessionId: string; readonly traceId: string }> {
  const input = { key: `traced-${randomUUID()}`, request, account, policy: QUICK };
  return trace.getTracer('shop').startActiveSpan('checkout', async (span) => {
    const { traceId } = span.spanContext();
    try {
      const { session, sessionId } = await world.sessions.open(input);
      return { session, sessionId, traceId };
    } catch (error) {
      throw Object.assign(error as Error, { traceId });
    } finally {
      span.end();
    }
  });
}

const has =
  (name: string) =>
  (spans: readonly ReceivedSpan[]): boolean =>
    spans.some((span) => span.name === name);

const ended = has('RunWorkflow:paymentSession');
const OPEN = 'checkout > UpdateWithStartWorkflow:awaitOpened';
const CREATE = 'POST /api/v2/sessions';
const DETAILS = 'GET /api/v2/sessions/{sessionId}/details';
const CANCEL = 'POST /api/v2/sessions/{sessionId}/cancel';

test('one trace contains the caller’s open, the session’s activities and each call to the service', async () => {
  const { session, traceId } = await checkout(completing());
  await session.result();
  const spans = await world.collector.trace(traceId, ended);
  expect([...new Set(spans.map((span) => pathOf(span, spans)))].sort()).toEqual(
    [
      'checkout',
      OPEN,
      `${OPEN} > RunActivity:createSession`,
      `${OPEN} > RunActivity:createSession > POST /api/v1/authorize`,
      `${OPEN} > RunActivity:createSession > ${CREATE}`,
      `${OPEN} > RunWorkflow:paymentSession`,
      `${OPEN} > poll`,
      `${OPEN} > poll > ${DETAILS}`,
    ].sort(),
  );
  const attributes = (name: string) => spans.findLast((span) => span.name === name)?.attributes;
  expect(attributes(CREATE)).toEqual({
    'http.request.method': 'POST',
    'url.template': '/api/v2/sessions',
    'http.response.status_code': 201,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(world.plain.url).port),
    'paysession.account': 'default',
  });
  expect(attributes('RunActivity:createSession')).toMatchObject({ 'paysession.outcome': 'created' });
  expect(attributes('poll')).toMatchObject({
    temporalWorkflowId: `payment-session/${session.key}`,
    'paysession.code': 'EFT0301',
  });
  expect(spans.filter(({ failed }) => failed)).toEqual([]);
  expect(attributes('RunWorkflow:paymentSession')).toMatchObject({
    temporalWorkflowId: `payment-session/${session.key}`,
    'paysession.status': 'Completed',
    'paysession.code': 'EFT0301',
  });
});

test('the trace leaves out polls without a change, and contains the next call', async () => {
  const { session, sessionId, traceId } = await checkout(leftOpen());
  const polls = () => world.plain.passed.filter(({ path }) => path.includes(`${sessionId}/details`)).length;
  await until(
    () => Promise.resolve(polls()),
    (count) => count >= 20,
  );
  await session.cancelAndWait();
  const spans = await world.collector.trace(traceId, ended);
  expect(spans.filter(({ name }) => name === DETAILS).length).toBeLessThan(3);
  expect(spans.map((span) => pathOf(span, spans))).toContain(
    `${OPEN} > RunActivity:cancelSession > ${CANCEL}`,
  );
});

test('the trace of a rejected create request has the service’s answer and the error code', async () => {
  const error: unknown = await checkout(overTheLimit()).catch((thrown: unknown) => thrown);
  const { traceId } = error as { readonly traceId: string };
  const spans = await world.collector.trace(traceId, ended);
  expect(spans.find(({ name }) => name === CREATE)).toMatchObject({
    failed: true,
    attributes: { 'http.response.status_code': 400, 'error.type': '400' },
  });
  expect(spans.find(({ name }) => name === 'RunWorkflow:paymentSession')).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'SERVICE_REQUEST_REJECTED' },
  });
});

describe('the traced payment service', () => {
  test('receives no header traceparent by default', async () => {
    const { session } = await checkout(completing());
    await session.result();
    expect(world.plain.passed.length).toBeGreaterThan(2);
    expect(world.plain.passed.filter(({ headers }) => 'traceparent' in headers)).toEqual([]);
  });

  test('receives the header traceparent with each call if the account says so, and a poll’s header says “not recorded”', async () => {
    const { session, traceId } = await checkout(completing(), 'linked');
    await session.result();
    const spans = await world.collector.trace(traceId, ended);
    const sent = (end: string) =>
      world.linked.passed
        .filter(({ path }) => path.endsWith(end))
        .map(({ headers }) => headers['traceparent']);
    const create = spans.find(({ name }) => name === CREATE);
    expect(sent('/sessions')).toEqual([`00-${traceId}-${create?.spanId}-01`]);
    const open = spans.find(({ name }) => name.startsWith('UpdateWithStart'));
    expect(new Set(sent('/details'))).toEqual(new Set([`00-${traceId}-${open?.spanId}-00`]));
  });
});

test('no span contains a secret, a token, data of payor or payee, or the session id that opens the payor’s page', async () => {
  const { session, sessionId, traceId } = await checkout(completing());
  await session.result();
  await world.collector.trace(traceId, ended);
  const tokens = world.plain.passed.flatMap(({ headers }) => headers.authorization?.split(' ')[1] ?? []);
  const planted = [DEFAULT_CLIENT.clientSecret, 'Avery', 'Tremblay', 'avery.tremblay@example.com', sessionId];
  expect(tokens.length).toBeGreaterThan(1);
  for (const text of [...tokens, ...planted]) {
    for (const form of [
      text,
      encodeURIComponent(text),
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('hex'),
    ])
      expect([form, world.collector.text().includes(form)]).toEqual([form, false]);
  }
});

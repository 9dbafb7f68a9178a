import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from '@jest/globals';
import { PaysessionError } from '../../../../src';
import type { LogFormat, LogLevel } from '../../../../src/settings';
import { workerLog, type WorkerLog } from '../../../../worker/observing/worker-log';

const PAYLOAD = 'Avery Tremblay';
const ESCAPE = '\u001b';

/** Returns the output of a log for these calls. */
function written(
  tell: (logger: WorkerLog['logger']) => unknown,
  { format = 'json', level = 'info' }: { format?: LogFormat; level?: LogLevel } = {},
): string {
  let text = '';
  const log = workerLog({ level, format, write: (line) => (text += line) });
  tell(log.logger);
  log.close();
  return text;
}

const json = (tell: (logger: WorkerLog['logger']) => unknown): unknown => JSON.parse(written(tell));

const SESSION = { workflowId: 'payment-session/order-1', workflowRunId: 'run-1', account: 'default' };

describe('a line', () => {
  test('names the session, its account and run, and the trace that is active', () => {
    const trace = { trace_id: '0af7651916cd43dd8448eb211c80319c', span_id: 'b7ad6b7169203331' };
    expect(
      json((logger) => logger.warn('a thing', { ...SESSION, ...trace, sdkComponent: 'activity' })),
    ).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: 'warn',
      message: 'a thing',
      sessionKey: 'order-1',
      runId: 'run-1',
      account: 'default',
      component: 'activity',
      ...trace,
    });
  });

  test('names the endpoint of a webhook with its answer, and the environment of a ledger', () => {
    const fields = { endpoint: 'shop', outcome: 'HTTP 503', environment: 'shop', others: ['a (1)', 'b (2)'] };
    expect(json((logger) => logger.warn('a thing', fields))).toMatchObject({
      ...fields,
      others: 'a (1),b (2)',
    });
  });

  test('is text for a person, too, without colours', () => {
    const text = written((logger) => logger.warn('a thing', SESSION), { format: 'text' });
    expect(text).toMatch(/^\S+Z WARN {2}a thing sessionKey=order-1 runId=run-1 account=default\n$/);
  });

  test.each<LogFormat>(['json', 'text'])('stays one line, whatever is in it (%s)', (format) => {
    const text = written(
      (logger) => logger.warn(`a\nb${ESCAPE}[31m`, { account: `x\r\n"y" ${ESCAPE}]0;title` }),
      { format },
    );
    expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028]/u);
  });

  test('is left out below the level that is set', () => {
    const tell = (logger: WorkerLog['logger']) => {
      logger.info('started', {});
      logger.warn('a thing', {});
    };
    expect(written(tell, { level: 'warn' })).not.toContain('started');
    expect(written(tell, { level: 'info' })).toContain('started');
  });
});

describe('no payload is written', () => {
  test('of fields that are not known', () => {
    const text = written((logger) =>
      logger.warn('a thing', {
        options: { payor: PAYLOAD },
        completion: PAYLOAD,
        failure: PAYLOAD,
        args: [PAYLOAD],
      }),
    );
    expect(text).not.toContain(PAYLOAD);
  });

  test('an error that is not ours is logged with its name and place', () => {
    const error = new TypeError(`cannot read ${PAYLOAD}`);
    const line = json((logger) => logger.error('Activity failed', { ...SESSION, error }));
    expect(line).toMatchObject({
      message: 'Activity failed',
      error: 'TypeError',
      stack: expect.stringMatching(/^at /),
    });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  });

  test('of an error of the native part, which quotes what the server was sent', () => {
    const error = `Status { code: Internal, message: "${PAYLOAD}", source: None }`;
    const line = json((logger) => logger.warn('Long poll failed', { error, sdkComponent: 'core' }));
    expect(line).toMatchObject({ message: 'Long poll failed', error: 'gRPC Internal' });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  });
});

test('our own error is logged with its code and message, also as the cause of another', () => {
  const own = new PaysessionError('UNKNOWN_ACCOUNT', 'The worker has no credentials for the account "x".');
  const failure = ApplicationFailure.create({ type: own.code, message: own.message, details: [PAYLOAD] });
  for (const error of [own, failure, new Error(PAYLOAD, { cause: failure })]) {
    const line = json((logger) => logger.warn('Activity failed', { error }));
    expect(line).toMatchObject({ code: 'UNKNOWN_ACCOUNT', message: own.message });
    expect(JSON.stringify(line)).not.toContain(PAYLOAD);
  }
});

test('a Temporal server that is lost is one thing, whichever calls fail', () => {
  const error = 'Status { code: Unavailable, message: "tcp connect error" }';
  const text = written((logger) => {
    for (const call of ['poll_workflow_task_queue', 'poll_activity_task_queue', 'describe_task_queue'])
      logger.warn(`gRPC call ${call} retried 6 times`, { error, sdkComponent: 'core' });
  });
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ code, repeated }) => [code, repeated])).toEqual([
    ['TEMPORAL_UNAVAILABLE', undefined],
    ['TEMPORAL_UNAVAILABLE', 2],
  ]);
});

test('calls that a pause refuses are not logged, but the pause is', () => {
  const error = ApplicationFailure.create({ type: 'SERVICE_PAUSED', message: 'Calls are paused.' });
  expect(written((logger) => logger.warn('Activity failed', { error }))).toBe('');
});

test('a session that fails has a line of its own instead of the SDK’s; another workflow has the SDK’s', () => {
  const failed = (workflowType: string) =>
    written((logger) => logger.warn('Workflow failed', { workflowType, error: new Error('failed') }));
  expect(failed('paymentSession')).toBe('');
  expect(failed('order')).toContain('Workflow failed');
});

test('at debug, every line is written', () => {
  const tell = (logger: WorkerLog['logger']) => {
    for (let time = 0; time < 3; time += 1) logger.warn('again', {});
  };
  expect(written(tell, { level: 'debug' }).trim().split('\n')).toHaveLength(3);
});

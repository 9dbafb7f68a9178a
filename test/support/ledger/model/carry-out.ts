import { isPaysessionError } from '../../../../src/errors';
import type { PaymentSessionInput, SessionRequest } from '../../../../src';
import { MESSAGES } from '../../../../src/protocol/names';
import { eft, eTransfer, geft } from '../../requests';
import type { Attempt } from './attempt';
import { calm, passTime } from './calm';
import type { Environment } from './environment';
import { fileOf, lineOf, type FileLine } from './files';
import type { Operation } from './operations';
import type { Run } from './run';
import { isPaidFor, type ServedSession } from './simulated-service';
import { sendAll } from './webhooks';
import { placeOf, type ModelWorld } from './world';

/** The kinds of requests. Each key has one kind. A key has two requests, with different amounts. */
const REQUESTS: readonly ((reference: string) => SessionRequest)[] = [eft, geft, eTransfer];

function inputOf(key: number, request: number, parks: boolean): PaymentSessionInput {
  // Two keys have the same reference, as two orders of one customer may have.
  const reference = key === 1 ? 'ref-0' : `ref-${key}`;
  const asked = (REQUESTS[key % REQUESTS.length] ?? eft)(reference);
  const amount = 10 * (key + 1) + request + 0.1;
  return {
    key: `order-${key}`,
    request: { ...asked, amount },
    policy: { onUnknownCreate: parks ? 'park' : 'retry' },
  };
}

/** Carries out one operation of a history in the world. */
export async function carryOut(world: ModelWorld, operation: Operation): Promise<void> {
  world.clock.pass(1_000);
  switch (operation.do) {
    case 'start':
      return start(world, operation);
    case 'open':
      await start(world, operation);
      return calm(world, environmentOf(world, operation.environment));
    case 'begin':
      return begin(world, operation);
    case 'pay':
      return pay(world, operation);
    case 'step':
      return step(world, operation);
    case 'calm':
      return calm(world, environmentOf(world, operation.environment));
    case 'lose':
      return lose(world, operation.pick);
    case 'loseStep':
      environmentOf(world, operation.environment).temporal.losesNextStep = true;
      return undefined;
    case 'payor': {
      const session = picked(world.service.sessions, operation.pick);
      if (session !== undefined && world.service.act(session.sessionId, operation.act))
        world.tell(`the payor of ${session.sessionId} ${operation.act}`);
      return undefined;
    }
    case 'cancel':
      return withRun(world, operation.pick, isRunning, 'is cancelled', ({ environment, run }) =>
        environment.temporal.cancel(run, { by: 'ann', reason: 'changed' }),
      );
    case 'resolve':
      return resolve(world, operation);
    case 'reset':
      return withRun(
        world,
        operation.pick,
        ({ steps }) => steps.length > 0,
        'is reset',
        async ({ environment, run }) => {
          await environment.temporal.reset(run, operation.to % run.steps.length);
        },
      );
    case 'terminate':
      return withRun(world, operation.pick, isRunning, 'is terminated', ({ environment, run }) =>
        environment.temporal.terminate(run),
      );
    case 'forget':
      return forget(world, operation.pick, (run) => !run.isRunning);
    case 'vanish':
      return forget(world, operation.pick, isRunning);
    case 'sweep':
      return sweep(world, environmentOf(world, operation.environment));
    case 'backUp':
      return backUp(world, operation);
    case 'restore':
      return restore(world, operation);
    case 'away':
      world.isLedgerAway = operation.isAway;
      return undefined;
    case 'switch':
      // Once keys are claimed, the workers keep their ledger: to remove it would be a mistake in their settings.
      if (operation.hasLedger || world.known.grants.size === 0) world.hasLedger = operation.hasLedger;
      return undefined;
    case 'wait':
      return passTime(world, operation.hours * 3_600_000);
    case 'move':
      move(world, operation.pick);
      return undefined;
    case 'deliver':
      return deliver(world, operation);
    case 'send':
      return world.isLedgerAway ? undefined : sendAll(world, environmentOf(world, operation.environment));
  }
}

const isRunning = (run: Run): boolean => run.isRunning;

function picked<T>(all: readonly T[], pick: number): T | undefined {
  return all[all.length - 1 - (pick % Math.max(1, all.length))];
}

function environmentOf({ environments }: ModelWorld, number: number): Environment {
  const environment = environments[number % environments.length];
  if (environment === undefined) throw new Error('there is no environment');
  return environment;
}

type Of<Name extends Operation['do']> = Extract<Operation, { do: Name }>;

async function start(
  world: ModelWorld,
  { environment: number, key, request, parks }: Of<'start' | 'open' | 'begin'>,
): Promise<void> {
  const environment = environmentOf(world, number);
  const input = inputOf(key, request, parks);
  try {
    const { attached } = await environment.start(input);
    world.tell(
      `${environment.name}: ${input.key} ${attached ? 'has a session already' : `is started for ${String(input.request.amount)}`}`,
    );
  } catch (error) {
    if (!isPaysessionError(error, 'SESSION_CONFLICT')) throw error;
    world.tell(`${environment.name}: ${input.key} is another request's`);
  }
}

async function begin(world: ModelWorld, operation: Of<'begin'>): Promise<void> {
  const { environment: number, steps, how, worker } = operation;
  await start(world, operation);
  const environment = environmentOf(world, number);
  const { key } = inputOf(operation.key, operation.request, operation.parks);
  const waiting = environment.waiting.find(({ run }) => run.start.key === key);
  if (waiting === undefined) return;
  const attempt = await environment.take(waiting.run, waiting.activity, worker);
  for (let passed = 0; passed < steps; passed += 1) await attempt.pass('ok');
  world.tell(`${environment.name}: ${attempt.name} at ${attempt.gates.at ?? 'no gate'}: ${how}`);
  await attempt.pass(how);
}

async function pay(world: ModelWorld, { pick, isPaidOut }: Of<'pay'>): Promise<void> {
  const session = picked(world.service.sessions, pick);
  if (session === undefined) return;
  if (world.service.act(session.sessionId, 'pays')) world.tell(`the payor of ${session.sessionId} pays`);
  if (isPaidOut) move(world, 0);
  const environment = world.environments.find(({ name }) => name === session.environment);
  if (environment !== undefined) await calm(world, environment);
}

/** Either a worker takes one of the waiting activities, or one of the running attempts passes its gate. */
async function step(world: ModelWorld, { pick, how, worker }: Of<'step'>): Promise<void> {
  const steps = world.environments.flatMap((environment) => [
    ...environment.waiting.map(({ run, activity }) => async () => {
      const attempt = await environment.take(run, activity, worker);
      world.tell(`${environment.name}: worker ${worker} takes ${attempt.name}`);
    }),
    ...environment.attempts.map((attempt) => async () => {
      world.tell(`${environment.name}: ${attempt.name} at ${attempt.gates.at ?? 'no gate'}: ${how}`);
      await attempt.pass(how);
    }),
  ]);
  await picked(steps, pick)?.();
}

async function lose(world: ModelWorld, pick: number): Promise<void> {
  const all = world.environments.flatMap((environment) =>
    environment.attempts.filter(({ isGivenUp }) => !isGivenUp).map((attempt) => ({ environment, attempt })),
  );
  const found = picked(all, pick);
  if (found === undefined) return;
  const { environment, attempt } = found;
  world.tell(
    `${environment.name}: the worker of ${attempt.name} is taken for lost at ${attempt.gates.at ?? 'no gate'}`,
  );
  await giveUp(environment, attempt);
}

/** Makes the Temporal server time out an attempt. If the server has already forgotten the attempt, nothing happens. */
async function giveUp({ temporal }: Environment, attempt: Attempt): Promise<void> {
  attempt.isGivenUp = true;
  try {
    await temporal.timeOut(attempt.place);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ActivityNotFoundError')) throw error;
  }
}

interface FoundRun {
  readonly environment: Environment;
  readonly run: Run;
}

async function withRun(
  world: ModelWorld,
  pick: number,
  isMeant: (run: Run) => boolean,
  what: string,
  act: (found: FoundRun) => Promise<unknown>,
): Promise<void> {
  const all = world.environments.flatMap((environment) =>
    environment.temporal.runs.filter(isMeant).map((run) => ({ environment, run })),
  );
  const found = picked(all, pick);
  if (found === undefined) return;
  const { key, runId } = found.run.start;
  world.tell(`${found.environment.name}: ${key} (${runId}) ${what}`);
  await act(found);
}

async function resolve(world: ModelWorld, { pick, decision, session }: Of<'resolve'>): Promise<void> {
  const isParked = (run: Run) => run.isRunning && run.state.shown['PaymentSessionPhase'] === 'parked';
  const who = { by: 'ben', reason: 'looked it up' };
  await withRun(world, pick, isParked, `is decided: ${decision}`, async ({ environment, run }) => {
    // An operator can name only the payment service’s sessions of their own environment.
    const named = picked(
      world.service.sessions.filter((one) => one.environment === environment.name),
      session,
    );
    const answer =
      decision === 'adopt' && named !== undefined
        ? { sessionId: named.sessionId, ...who }
        : { [decision === 'adopt' ? 'abandon' : decision]: true, ...who };
    await environment.temporal.update(run, MESSAGES.resolveCreate, answer);
  });
}

async function forget(world: ModelWorld, pick: number, isMeant: (run: Run) => boolean): Promise<void> {
  await withRun(world, pick, isMeant, 'is forgotten', async ({ environment, run }) => {
    await environment.temporal.terminate(run);
    await environment.temporal.forget(run);
    // The worker notices this at its next heartbeat, long before another workflow can use the key. So an attempt that has not
    // claimed the key yet sends no create request.
    const { runId } = run.start;
    for (const attempt of environment.attempts)
      if (attempt.place.runId === runId && attempt.gates.at === 'claim') await attempt.abandon();
    await world.noteForgotten(`${run.start.runId} was forgotten`);
  });
}

async function sweep(world: ModelWorld, environment: Environment): Promise<void> {
  if (world.isLedgerAway || !world.hasLedger) return;
  world.tell(`${environment.name}: a sweep`);
  await environment.sweep();
}

async function backUp(world: ModelWorld, { what, environment: number }: Of<'backUp'>): Promise<void> {
  const environment = environmentOf(world, number);
  if (what === 'ledger') {
    world.tell(`backup ${world.ledgerBackups.length} of the ledger`);
    world.ledgerBackups.push({ rows: await world.backups.take(), known: world.known });
  } else {
    const backups = world.temporalBackups.get(environment.name);
    world.tell(`${environment.name}: backup ${backups?.length ?? 0} of Temporal`);
    backups?.push(environment.temporal.backup());
  }
}

async function restore(
  world: ModelWorld,
  { what, environment: number, which }: Of<'restore'>,
): Promise<void> {
  const environment = environmentOf(world, number);
  const backups =
    what === 'ledger' ? world.ledgerBackups : (world.temporalBackups.get(environment.name) ?? []);
  const index = which % backups.length;
  world.tell(
    what === 'ledger'
      ? `the ledger is restored to backup ${index}`
      : `${environment.name}: Temporal is restored to backup ${index}`,
  );
  if (what === 'ledger') {
    const backup = world.ledgerBackups[index];
    if (backup === undefined) return;
    await world.backups.restore(backup.rows);
    world.known = backup.known;
    world.ledgerRestores += 1;
  } else {
    const backup = world.temporalBackups.get(environment.name)?.[index];
    if (backup === undefined) return;
    await environment.temporal.restore(backup);
    world.temporalRestores += 1;
  }
  await world.noteForgotten(`${what} was restored to backup ${index}`);
}

/** Lets the money of a paid session arrive, or come back if it has arrived. */
function move(world: ModelWorld, pick: number): void {
  const session = picked(
    world.service.sessions.filter((one) => isPaidFor(one) && one.returnedOn === undefined),
    pick,
  );
  if (session === undefined) return;
  const { sessionId, settledOn } = session;
  const day = world.clock.iso.slice(0, 'yyyy-mm-dd'.length);
  world.service.move(sessionId, settledOn === undefined ? { settledOn: day } : { returnedOn: day });
  world.tell(`the money of ${sessionId} ${settledOn === undefined ? 'arrives' : 'comes back'}`);
}

/** Returns the reconciliation lines of all money that has moved so far, in the order of the movements. */
function linesOf(sessions: readonly ServedSession[], environment: string): readonly FileLine[] {
  const own = sessions.filter((session) => session.environment === environment);
  return own.flatMap((session) => [
    ...(session.settledOn === undefined ? [] : [lineOf(session, 'settled', session.settledOn)]),
    ...(session.returnedOn === undefined ? [] : [lineOf(session, 'returned', session.returnedOn)]),
  ]);
}

async function deliver(
  world: ModelWorld,
  { environment: number, first, count, by, isReversed }: Of<'deliver'>,
): Promise<void> {
  if (world.isLedgerAway) return;
  const environment = environmentOf(world, number);
  const all = linesOf(world.service.sessions, environment.name);
  const from = all.length === 0 ? 0 : first % all.length;
  const some = all.slice(from, from + count);
  const lines = isReversed ? some.toReversed() : some;
  if (lines.length === 0) return;
  let row = 0;
  for await (const { outcome, reason = '', key = '', line } of environment.ledger.reconcile(
    fileOf(lines, by),
  )) {
    const told = lines[line - 2];
    row += 1;
    if (told === undefined) throw new Error(`there is no line ${line}`);
    const { sessionId, kind, day, cents } = told;
    world.tell(`${environment.name}: ${kind} of ${sessionId} by ${by} is ${outcome} ${reason} ${key}`);
    if (outcome !== 'recorded') continue;
    const recorded = {
      environment: environment.name,
      key,
      kind,
      day,
      cents,
      sessionId,
      isById: by !== 'reference',
    };
    world.known = { ...world.known, lines: [...world.known.lines, recorded] };
  }
  if (row !== lines.length)
    world.broken(`${placeOf(environment.name, 'a file')} of ${lines.length} lines gave ${row}`);
}

/**
 * Reads the service's answers. Requires only the parts that the client needs, passes unknown statuses and codes on, and ignores
 * unknown fields. Numbers such as A50 are rules in docs/contract.md.
 */
import { z } from 'zod';
import type { ProblemDetails } from '../../contract';
import { defined, isRecord } from '../../contract/values/json';
import { toDollars } from '../../contract/values/money';
import { isSameSession, type SessionIdentity } from '../../contract/identity';
import type { SessionSnapshot } from '../../contract/statuses';
import { cut } from './service-words';

const readableText = z.string().min(1).max(200);

/** An amount in dollars (contract A50). */
const readableAmount = z.number().transform(toDollars).optional().catch(undefined);

/** The names under which the service may send the code (contract A50). The first readable one counts. */
const CODE_NAMES = ['statusDetails', 'statusDetail', 'statusDetailCode'] as const;

const readableSnapshot = z.looseObject({
  status: readableText,
  amount: readableAmount,
});

/** Reads the body of a details, status or cancel answer. Returns `undefined` if it has no readable status. */
export function readSnapshot(body: unknown): SessionSnapshot | undefined {
  const parsed = readableSnapshot.safeParse(body);
  if (!parsed.success) return undefined;
  const { status, amount } = parsed.data;
  return defined({ status, ...readCode(parsed.data), amount });
}

function readCode(body: Readonly<Record<string, unknown>>): Pick<SessionSnapshot, 'code' | 'unreadableCode'> {
  const given = CODE_NAMES.map((name) => body[name]).filter((value) => value != null);
  const [code] = given.flatMap((value) => readableText.safeParse(value).data ?? []);
  if (code !== undefined) return { code };
  return given.length > 0 ? { unreadableCode: true } : {};
}

/**
 * A text that identifies the payment. A long text is cut, and not dropped: a dropped text would count as absent, and absent texts
 * are not compared with the expected payment.
 */
const identityText = z.string().transform((text) => text.slice(0, 200));

const readableIdentity = z.object({
  type: identityText.optional().catch(undefined),
  direction: identityText.optional().catch(undefined),
  referenceId: identityText.nullable().optional().catch(undefined),
  amount: readableAmount,
  currency: readableText.optional().catch(undefined),
  options: z
    .object({ guarantee: z.object({ enable: z.boolean() }) })
    .optional()
    .catch(undefined),
  createdAt: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .optional()
    .catch(undefined),
});

/** Reads the parts of a body that identify the payment. Returns an empty object if the body has none. */
export function readIdentity(body: unknown): SessionIdentity {
  const parsed = readableIdentity.safeParse(body);
  if (!parsed.success) return {};
  const { options, ...identity } = parsed.data;
  return defined({ ...identity, guaranteed: options?.guarantee.enable });
}

/** True if a body has the id of another session than the requested session. False for a body without a session id. */
export function isAboutAnother(sessionId: string, body: unknown): boolean {
  const named = isRecord(body) ? body['sessionId'] : undefined;
  if (named == null) return false;
  return typeof named !== 'string' || !isSameSession(sessionId, named);
}

const readableCreated = z.object({
  sessionId: readableText,
  referenceId: z.string().nullable().catch(null),
});

/** Reads the body of a 2xx answer to a create request. Returns `undefined` if it has no readable session id. */
export const readCreated = (body: unknown): z.output<typeof readableCreated> | undefined =>
  readableCreated.safeParse(body).data;

const readableToken = z.object({
  access_token: z.string().min(1).max(16_384),
  expires_in: z.number().positive().optional().catch(undefined),
});

/**
 * Reads the body of an answer to a token request. Returns `undefined` if it has no token. `expires_in` may be absent (contract
 * A2).
 */
export const readToken = (body: unknown): z.output<typeof readableToken> | undefined =>
  readableToken.safeParse(body).data;

/**
 * The limits of problem details, which are stored in workflow histories: the length of a text, the number of fields, and the
 * number of messages per field.
 */
const MAX_TEXT = 500;
const MAX_FIELDS = 20;
const MAX_MESSAGES = 3;

const boundedText = z.string().transform((text) => cut(text, MAX_TEXT));

const PROBLEM_MEMBERS = {
  type: boundedText,
  title: boundedText,
  status: z.int(),
  detail: boundedText,
  instance: boundedText,
  errors: z
    .record(
      boundedText,
      z.array(boundedText).transform((messages) => messages.slice(0, MAX_MESSAGES)),
    )
    .transform((errors) => Object.fromEntries(Object.entries(errors).slice(0, MAX_FIELDS))),
};

/**
 * Reads problem details (contract A70), within these limits. Leaves out unreadable members. Returns `undefined` if the value is
 * not an object, or if no member is readable.
 */
export function readProblem(body: unknown): ProblemDetails | undefined {
  if (!isRecord(body)) return undefined;
  const members = Object.entries(PROBLEM_MEMBERS).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(body[name]);
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

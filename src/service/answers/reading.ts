/**
 * Reads the service's answers tolerantly: requires only the parts that the client needs, and passes unknown statuses, codes and
 * fields on.
 */
import { z } from 'zod';
import type { ProblemDetails } from '../../contract';
import { isRecord } from '../../contract/values/json';
import { toDollars } from '../../contract/values/money';
import { isSameSession, type SessionIdentity } from '../../contract/identity';
import type { SessionSnapshot } from '../../contract/statuses';

const readableText = z.string().min(1).max(200);

/** An amount in dollars (contract A50). */
const readableAmount = z.number().transform(toDollars).optional().catch(undefined);

/** The code's name has aliases (contract A50); the first readable one counts. */
const CODE_NAMES = ['statusDetails', 'statusDetail', 'statusDetailCode'] as const;

const readableSnapshot = z.looseObject({
  status: readableText,
  amount: readableAmount,
});

/** Reads a details, status or cancel body; `undefined` if it holds no status. */
export function readSnapshot(body: unknown): SessionSnapshot | undefined {
  const parsed = readableSnapshot.safeParse(body);
  if (!parsed.success) return undefined;
  const { status, amount } = parsed.data;
  return { status, ...readCode(parsed.data), ...(amount !== undefined && { amount }) };
}

function readCode(body: Readonly<Record<string, unknown>>): Pick<SessionSnapshot, 'code' | 'unreadableCode'> {
  const given = CODE_NAMES.map((name) => body[name]).filter((value) => value != null);
  const [code] = given.flatMap((value) => readableText.safeParse(value).data ?? []);
  if (code !== undefined) return { code };
  return given.length > 0 ? { unreadableCode: true } : {};
}

/**
 * A text that identifies the payment. A long text is cut and not dropped: it differs from the expected one, and must not count as
 * absent.
 */
const identityText = z.string().transform((text) => text.slice(0, 200));

const readableIdentity = z.looseObject({
  type: identityText.optional().catch(undefined),
  direction: identityText.optional().catch(undefined),
  referenceId: identityText.nullable().optional().catch(undefined),
  amount: readableAmount,
  currency: readableText.optional().catch(undefined),
  options: z
    .looseObject({ guarantee: z.looseObject({ enable: z.boolean() }) })
    .optional()
    .catch(undefined),
  createdAt: z.iso
    .datetime({ offset: true })
    .transform((time) => new Date(time).toISOString())
    .optional()
    .catch(undefined),
});

/** Reads the identity of the payment in a details, status or cancel body. Returns an empty object if the body has none. */
export function readIdentity(body: unknown): SessionIdentity {
  const parsed = readableIdentity.safeParse(body);
  if (!parsed.success) return {};
  const { type, direction, referenceId, amount, currency, options, createdAt } = parsed.data;
  const guaranteed = options?.guarantee.enable;
  return {
    ...(type !== undefined && { type }),
    ...(direction !== undefined && { direction }),
    ...(referenceId !== undefined && { referenceId }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
    ...(guaranteed !== undefined && { guaranteed }),
    ...(createdAt !== undefined && { createdAt }),
  };
}

/** True if a body names another session than the requested one. False for a body without a session id. */
export function isAboutAnother(sessionId: string, body: unknown): boolean {
  const named = typeof body === 'object' && body !== null && 'sessionId' in body ? body.sessionId : undefined;
  if (named == null) return false;
  return typeof named !== 'string' || !isSameSession(sessionId, named);
}

const readableCreated = z.looseObject({
  sessionId: readableText,
  referenceId: z.string().nullable().catch(null),
});

/** Reads the body of a 201; `undefined` if it holds no session id. */
export function readCreated(body: unknown): { sessionId: string; referenceId: string | null } | undefined {
  const parsed = readableCreated.safeParse(body);
  return parsed.success
    ? { sessionId: parsed.data.sessionId, referenceId: parsed.data.referenceId }
    : undefined;
}

const readableToken = z.looseObject({
  access_token: z.string().min(1).max(16_384),
  expires_in: z.number().positive().optional().catch(undefined),
});

/** Reads a token; `expires_in` may be absent (contract A2). */
export function readToken(body: unknown): { accessToken: string; expiresInS?: number } | undefined {
  const parsed = readableToken.safeParse(body);
  if (!parsed.success) return undefined;
  const { access_token: accessToken, expires_in: expiresInS } = parsed.data;
  return { accessToken, ...(expiresInS !== undefined && { expiresInS }) };
}

const PROBLEM_MEMBERS = {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  errors: z.record(z.string(), z.array(z.string())),
};

/**
 * Reads problem details without their unreadable members. Returns `undefined` if the value is not an object or no member is readable
 * (contract A70).
 */
export function readProblem(body: unknown): ProblemDetails | undefined {
  if (!isRecord(body)) return undefined;
  const members = Object.entries(PROBLEM_MEMBERS).flatMap(([name, schema]) => {
    const parsed = schema.safeParse(body[name]);
    return parsed.success ? [[name, parsed.data] as const] : [];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

import { z } from 'zod';
import type { ValidationFailure } from '../../src/contract';
import { isDay } from '../../src/contract/values/day';
import { CHOICE_NAMES } from '../sessions/playing';
import { PLAIN_EVENTS } from '../sessions/transitions';
import { amount } from '../../src/contract/request-fields';
import { invalidRequest } from '../../src/web/problems';
import { bankAccountSchema, matching } from '../clients';
import { FAULTY_ROUTES, MAX_TIMES } from '../calls/faults';

/** Schemas of the control port's requests. Unknown fields are refused, so that a misspelling is reported and not ignored. */

const LONGEST_ADVANCE_MS = 10 * 365 * 86_400_000;

export const advanceSchema = z.strictObject({ byMs: z.int().min(1).max(LONGEST_ADVANCE_MS) });

/** The code of a payment's return: one of the codes of contract rule A76 in docs/contract.md, or any other code. */
const RETURN_CODE = /^[\w-]{1,20}$/;
const RETURN_CODE_RULE = 'must be 1 to 20 letters, digits, hyphens or underscores';

const phase = z.enum(['before', 'after']);
const route = z.enum(FAULTY_ROUTES);

const headerValue = z
  .string()
  .max(100)
  .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

const statusFault = z.strictObject({
  kind: z.literal('status'),
  status: z.int().min(200).max(599),
  retryAfter: headerValue.exactOptional(),
  body: z.string().max(65_536).exactOptional(),
  contentType: headerValue.exactOptional(),
  phase: phase.default('before'),
});

export const faultSchema = z.strictObject({
  route,
  times: z.int().min(1).max(MAX_TIMES).default(1),
  fault: z.discriminatedUnion('kind', [
    statusFault,
    z.strictObject({ kind: z.literal('reset'), phase }),
    z.strictObject({ kind: z.literal('hang'), phase }),
  ]),
});

export const holdSchema = z.strictObject({ route, phase });

export const waitSchema = z.strictObject({ waitMs: z.coerce.number().int().min(0).max(60_000).default(0) });

export const callsSchema = z.strictObject({ sessionId: z.string().optional() });

export const reconciliationSchema = z.strictObject({
  day: z.string().refine(isDay, 'must be a day such as 2026-05-06'),
  clientId: z.string().optional(),
});

export const eventSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(PLAIN_EVENTS) }),
  z.strictObject({ type: z.literal('accountChosen'), account: bankAccountSchema }),
  z.strictObject({ type: z.literal('amountEntered'), amount: z.number().superRefine(matching(amount)) }),
  z.strictObject({ type: z.literal('cancelled'), evenUnsigned: z.boolean().default(false) }),
]);

export const playSchema = z.strictObject({ choice: z.enum(CHOICE_NAMES) });

export const moneySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('settled') }),
  z.strictObject({
    kind: z.literal('returned'),
    code: z.string().regex(RETURN_CODE, RETURN_CODE_RULE).default('901'),
  }),
]);

/** Returns the value as the schema parses it. If the value is invalid, throws a 400 that lists every failure. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const failures: readonly ValidationFailure[] = result.error.issues.map(({ path, message }) => ({
    path: path.join('.') || 'request',
    message,
  }));
  throw invalidRequest(failures);
}

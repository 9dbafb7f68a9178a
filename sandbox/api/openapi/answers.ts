import { z } from 'zod';
import { SESSION_STATUSES } from '../../../src/contract/statuses';

/** The service's answers as it documents them: what the sandbox sends, and the OpenAPI document shows. */

export const tokenResponseSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().positive(),
});

export const createdSessionSchema = z.object({ sessionId: z.uuid(), referenceId: z.string().nullable() });

/** Reply of the cancel endpoint (contract A54). */
export const sessionOutcomeSchema = z.object({
  sessionId: z.uuid(),
  referenceId: z.string().nullable(),
  status: z.enum(SESSION_STATUSES),
  statusDetails: z.string().optional(),
});

/** Reply of the status endpoint, which needs the session id alone (contract A52). */
export const sessionStatusSchema = sessionOutcomeSchema.extend({ amount: z.number().nullable() });

const maskedAccountSchema = z.object({
  institutionCode: z.string(),
  transitNumber: z.string(),
  accountNumber: z.string().regex(/^\*{4}\d{4}$/),
  accountLabel: z.string().optional(),
});

/** Reply of the details endpoint (contract A50, and A51's extra fields). */
export const sessionDetailsSchema = sessionStatusSchema.extend({
  type: z.enum(['EFT', 'e-Transfer']),
  direction: z.enum(['DEBIT', 'CREDIT']),
  currency: z.literal('CAD'),
  createdAt: z.iso.datetime(),
  step: z.string(),
  options: z.record(z.string(), z.unknown()),
  payor: z.object({ account: maskedAccountSchema }).optional(),
  payee: z.object({ account: maskedAccountSchema }).optional(),
});

/** RFC 7807 problem details (contract A70); `errors` maps a field's path to its messages (A21). */
export const problemDetailsSchema = z.object({
  type: z.string().nullish(),
  title: z.string().nullish(),
  status: z.int().nullish(),
  detail: z.string().nullish(),
  instance: z.string().nullish(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});

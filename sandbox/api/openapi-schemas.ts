import { z } from 'zod';
import { SESSION_STATUSES } from '../../src/contract/statuses';
import type { CodeMember, SandboxConfig } from '../options';
import { requestSchema, type Json } from './openapi-request';

/** Returns the document’s schemas. Most of the request's schema is made from the same rules as the checks of requests. */
export function componentSchemas(config: SandboxConfig): Json {
  const { codeMember, tokenResponseFields, guaranteeOptionalForETransfer: guaranteeOptional } = config;
  return {
    TokenResponse: output(
      tokenResponseFields ? tokenResponseSchema : tokenResponseSchema.pick({ access_token: true }),
    ),
    SessionRequest: requestSchema({ guaranteeOptional }),
    CreatedSession: output(createdSessionSchema),
    SessionDetails: output(withCodeMember(sessionDetailsSchema, codeMember)),
    SessionStatus: output(withCodeMember(sessionStatusSchema, codeMember)),
    SessionOutcome: output(withCodeMember(sessionOutcomeSchema, codeMember)),
    ProblemDetails: output(problemDetailsSchema),
    Outbox: output(outboxSchema),
    Health: output(z.object({ status: z.literal('ok') })),
  };
}

const outboxSchema = z.object({
  mails: z.array(
    z.object({
      sessionId: z.uuid(),
      to: z.string(),
      language: z.enum(['EN', 'FR']),
      kind: z.string(),
      subject: z.string(),
      text: z.string(),
      link: z.string().optional(),
      at: z.iso.datetime(),
    }),
  ),
});

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function withCodeMember(schema: z.ZodObject, codeMember: CodeMember): z.ZodObject {
  const { statusDetails, ...shape }: z.ZodRawShape = schema.shape;
  return statusDetails === undefined ? schema : z.object({ ...shape, [codeMember]: statusDetails });
}

function output(schema: z.ZodType): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12' });
  return rest;
}

/** The service's answers, as the sandbox sends them. */

const tokenResponseSchema = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().positive(),
});

const createdSessionSchema = z.object({ sessionId: z.uuid(), referenceId: z.string().nullable() });

/** Reply of the cancel endpoint (contract rule A54 in docs/contract.md). */
const sessionOutcomeSchema = z.object({
  sessionId: z.uuid(),
  referenceId: z.string().nullable(),
  status: z.enum(SESSION_STATUSES),
  statusDetails: z.string().optional(),
});

/** Reply of the status endpoint. Any client that knows the session id may read it (contract A52). */
const sessionStatusSchema = sessionOutcomeSchema.extend({ amount: z.number().nullable() });

const maskedAccountSchema = z.object({
  institutionCode: z.string(),
  transitNumber: z.string(),
  accountNumber: z.string().regex(/^\*{4}\d{4}$/),
  accountLabel: z.string().optional(),
});

/** Reply of the details endpoint (contract A50, and A51's extra fields). */
const sessionDetailsSchema = sessionStatusSchema.extend({
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
const problemDetailsSchema = z.object({
  type: z.string().nullish(),
  title: z.string().nullish(),
  status: z.int().nullish(),
  detail: z.string().nullish(),
  instance: z.string().nullish(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});

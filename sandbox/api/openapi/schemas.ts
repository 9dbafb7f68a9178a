import { z } from 'zod';
import {
  createdSessionSchema,
  problemDetailsSchema,
  sessionDetailsSchema,
  sessionOutcomeSchema,
  sessionStatusSchema,
  tokenResponseSchema,
} from './answers';
import type { Json } from './json-schema';
import { requestSchema } from './request';
import type { CodeMember, SandboxConfig } from '../../options/options';

/** The document’s schemas. That of the request is made from the rules that requests are checked by. */
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

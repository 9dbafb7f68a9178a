import { z } from 'zod';
import {
  createdSessionSchema,
  problemDetailsSchema,
  sessionDetailsSchema,
  sessionOutcomeSchema,
  sessionRequestSchema,
  sessionStatusSchema,
  tokenResponseSchema,
} from '../src/contract';
import type { CodeMember, SandboxConfig } from './options';

/** A part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>;

/** Rules that join several fields; the schema shows the shape alone. */
const JOINED_RULES = [
  'Regular EFT is type EFT with options.guarantee.enable false, guaranteed EFT (GEFT) with true.',
  'EFT of either kind: direction DEBIT only.',
  'Regular EFT: no payee; referenceId of 1 to 36 letters, digits and hyphens. Others: referenceId of 1 to 100 characters.',
  'A guarantee needs payor.address. GEFT without a payee settles to the client’s account, and is refused when there is none.',
  'amount lies within options.limits, each bound of which replaces the client’s.',
].join(' ');

/** The document’s schemas, from the same zod schemas that requests are checked with. */
export function componentSchemas({ codeMember, tokenResponseFields }: SandboxConfig): Json {
  return {
    TokenResponse: output(
      tokenResponseFields ? tokenResponseSchema : tokenResponseSchema.pick({ access_token: true }),
    ),
    SessionRequest: { ...schemaOf(sessionRequestSchema, 'input'), description: JOINED_RULES },
    CreatedSession: output(createdSessionSchema),
    SessionDetails: output(withCodeMember(sessionDetailsSchema, codeMember)),
    SessionStatus: output(withCodeMember(sessionStatusSchema, codeMember)),
    SessionOutcome: output(withCodeMember(sessionOutcomeSchema, codeMember)),
    ProblemDetails: output(problemDetailsSchema),
    Health: output(z.object({ status: z.literal('ok') })),
  };
}

export const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

function withCodeMember(schema: z.ZodObject, codeMember: CodeMember): z.ZodObject {
  const { statusDetails, ...shape }: z.ZodRawShape = schema.shape;
  return statusDetails === undefined ? schema : z.object({ ...shape, [codeMember]: statusDetails });
}

const output = (schema: z.ZodType): Json => schemaOf(schema, 'output');

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}

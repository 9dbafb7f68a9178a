import { z } from 'zod';
import { sessionRequestSchema } from '../../../src/contract';

/**
 * The creation request as the document shows it: one schema for each kind, so that most of the rules that join several
 * fields can be seen. Requests are checked with `validateSessionRequest`; these are for reading and for fuzzing.
 */
export function requestSchema({ guaranteeOptional }: { readonly guaranteeOptional: boolean }): z.ZodType {
  const eTransferGuarantee = guaranteeOptional
    ? guaranteed(z.literal(false)).optional()
    : guaranteed(z.literal(false));
  return z.union([
    sessionRequestSchema
      .extend({
        type: z.literal('EFT'),
        direction: z.literal('DEBIT'),
        referenceId: z
          .string()
          .regex(/^[a-zA-Z0-9-]{1,36}$/)
          .nullish(),
        options: options.extend({ guarantee: guaranteed(z.literal(false)) }),
        payee: z.null().optional(),
      })
      .meta({ title: 'Regular EFT' }),
    sessionRequestSchema
      .extend({
        type: z.literal('EFT'),
        direction: z.literal('DEBIT'),
        referenceId: reference,
        options: options.extend({ guarantee: guaranteed(z.literal(true)) }),
        payor: payorWithAddress,
      })
      .meta({
        title: 'Guaranteed EFT',
        description: 'Without a payee, the client needs a settlement account.',
      }),
    sessionRequestSchema
      .extend({
        type: z.literal('e-Transfer'),
        referenceId: reference,
        options: options.extend({ guarantee: eTransferGuarantee }),
      })
      .meta({ title: 'e-Transfer' }),
    sessionRequestSchema
      .extend({
        type: z.literal('e-Transfer'),
        referenceId: reference,
        options: options.extend({ guarantee: guaranteed(z.literal(true)) }),
        payor: payorWithAddress,
      })
      .meta({ title: 'Guaranteed e-Transfer' }),
  ]);
}

const { options, payor } = sessionRequestSchema.shape;

const reference = z.string().min(1).max(100).nullish();

const payorWithAddress = payor.extend({ address: payor.shape.address.unwrap().unwrap() });

const guaranteed = (enable: z.ZodLiteral<boolean>) => z.object({ enable });

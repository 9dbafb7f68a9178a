import { z } from 'zod';
import { amount, birthDate, digits, email, filledText, text, webUri } from './fields';

/** The thirteen provinces and territories (contract A26). */
export const PROVINCES = [
  'AB',
  'BC',
  'MB',
  'NB',
  'NL',
  'NT',
  'NS',
  'NU',
  'ON',
  'PE',
  'QC',
  'SK',
  'YT',
] as const;

const addressSchema = z.object({
  addressLine1: filledText(100),
  addressLine2: z.string().nullish(),
  unit: z.string().nullish(),
  city: filledText(100),
  province: z.enum(PROVINCES),
  country: z.literal('CA'),
  postalCode: z.string().regex(/^\S{6}$/u, 'must be exactly 6 characters without spaces'),
});

const payorSchema = z.object({
  firstName: filledText(100),
  lastName: filledText(100),
  email,
  middleName: text(100).nullish(),
  occupation: z.string().nullish(),
  birthDate: birthDate.nullish(),
  address: addressSchema.nullish(),
});

const payeeSchema = z.object({
  account: z.object({
    accountNumber: digits(7, 12),
    transitNumber: digits(5, 5),
    institutionCode: digits(3, 3),
    accountLabel: text(100).nullish(),
  }),
  accountLabel: text(100).nullish(),
});

const optionsSchema = z.object({
  guarantee: z.object({ enable: z.boolean() }).optional(),
  notificationPreferences: z
    .object({ language: z.enum(['EN', 'FR']).optional(), sendNetworkLink: z.boolean().optional() })
    .optional(),
  showConsentScreen: z.boolean().nullish(),
  limits: z.object({ minimumAmount: z.number().nullish(), maximumAmount: z.number().nullish() }).optional(),
  amountModification: z.boolean().optional(),
  redirectPreferences: z
    .object({
      mode: z.enum(['JsEvents', 'RedirectUri']).optional(),
      urlSuccess: webUri.nullish(),
      urlExit: webUri.nullish(),
    })
    .optional(),
});

/**
 * The shape of a session creation request (specification, "Session creation request"). The rules that join several
 * fields, or depend on the client, are in `validateSessionRequest`. Unknown fields are ignored (contract A20).
 */
export const sessionRequestSchema = z.object({
  type: z.enum(['EFT', 'e-Transfer']),
  direction: z.enum(['DEBIT', 'CREDIT']),
  currency: z.literal('CAD').optional(),
  amount: amount.nullish(),
  referenceId: z.string().nullish(),
  options: optionsSchema,
  payor: payorSchema,
  payee: payeeSchema.nullish(),
  accountLabel: text(100).nullish(),
});

/** What a merchant sends to open a payment session. */
export type SessionRequest = z.infer<typeof sessionRequestSchema>;
export type Payor = z.infer<typeof payorSchema>;
export type Address = z.infer<typeof addressSchema>;
export type PayeeAccount = z.infer<typeof payeeSchema>['account'];

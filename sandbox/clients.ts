import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { MINIMUM_AMOUNT } from '../src/contract';
import { toDollars } from '../src/contract/values/money';
import { PaysessionError, listFailures } from '../src/errors';
import {
  decodeUtf8,
  NotUtf8Error,
  settingFault,
  withoutLineBreak,
  whereNoJson,
} from '../src/contract/values/outside-text';
import { systemCode } from '../src/files';
import { digits } from '../src/contract/request-fields';
import { fieldFailures, type FieldRule } from '../src/contract/field-rules';

/** A bank account. An unknown field is refused, so that a misspelling is reported and not ignored. */
export const bankAccountSchema = z.strictObject({
  accountNumber: z.string().superRefine(matching(digits(7, 12))),
  transitNumber: z.string().superRefine(matching(digits(5, 5))),
  institutionCode: z.string().superRefine(matching(digits(3, 3))),
});

/** Returns a zod refinement that checks a value against a rule of the contract. */
export function matching(rule: FieldRule) {
  return (value: unknown, context: z.RefinementCtx): void => {
    for (const { message } of fieldFailures(rule, value)) context.addIssue({ code: 'custom', message });
  };
}

/** Returns the schema of a credential. A final line break is removed, as a worker removes it from its settings. */
const credential = (maxLength: number) =>
  z
    .string()
    .transform(withoutLineBreak)
    .pipe(z.string().min(1).max(maxLength))
    .superRefine((text, context) => {
      const fault = settingFault(text);
      if (fault !== undefined) context.addIssue(fault);
    });

const dollars = z.number().transform(toDollars).pipe(z.number().min(MINIMUM_AMOUNT));

const clientSchema = z
  .strictObject({
    clientId: credential(200).refine((id) => !id.includes(':'), {
      error: 'must not hold a colon, which ends the id in Basic authentication',
    }),
    clientSecret: credential(1_000),
    displayName: z.string().trim().min(1).max(100).exactOptional(),
    features: z.array(z.enum(['RegularEft'])),
    minimumAmount: dollars,
    maximumAmount: dollars,
    settlementAccount: bankAccountSchema.nullish().transform((account) => account ?? null),
  })
  .refine((client) => client.minimumAmount <= client.maximumAmount, {
    path: ['minimumAmount'],
    message: 'must not be above maximumAmount',
  });

const clientsSchema = z
  .array(clientSchema)
  .min(1, 'must name at least one client')
  .refine((clients) => new Set(clients.map(({ clientId }) => clientId)).size === clients.length, {
    message: 'must not name a clientId twice',
  });

/** A bank account in full. */
export type BankAccount = Readonly<z.infer<typeof bankAccountSchema>>;

/**
 * A merchant as the service knows it: its credentials, the name that payors read (`displayName`, by default the id),
 * features, the bounds of its amounts in dollars, and settlement account.
 */
export type SandboxClient = Readonly<z.infer<typeof clientSchema>>;

/** Returns the name by which payors know the merchant of a client id. */
export function merchantName(clients: readonly SandboxClient[], clientId: string): string {
  return clients.find((client) => client.clientId === clientId)?.displayName ?? clientId;
}

/**
 * Reads clients from parsed JSON: `[{clientId, clientSecret, displayName?, features, minimumAmount, maximumAmount, settlementAccount?}]`.
 * `settlementAccount` may be `null`.
 *
 * @throws {@link PaysessionError} `INVALID_FILE` if the JSON has the wrong shape. The message lists every failure and unknown field, but
 * quotes no value
 */
export function parseSandboxClients(json: unknown, source = 'The list of clients'): readonly SandboxClient[] {
  const parsed = clientsSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const failures = parsed.error.issues.map(({ path, message }) => ({
    path: path.join('.') || 'list',
    message,
  }));
  throw new PaysessionError('INVALID_FILE', `${source} is malformed: ${listFailures(failures)}`);
}

/**
 * Reads clients from a JSON file.
 *
 * @throws {@link PaysessionError} `INVALID_FILE` if the file cannot be read, is not UTF-8 or JSON, or has the wrong shape. The message
 * quotes no value of the file
 *
 * @example
 * ```ts
 * const sandbox = createSandbox({ clients: loadSandboxClients('clients.json') });
 * ```
 */
export function loadSandboxClients(path: string): readonly SandboxClient[] {
  return parseSandboxClients(readJson(path), `The clients file ${path}`);
}

function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch {
    // The error of `JSON.parse` quotes the text, which may hold a secret.
    throw new PaysessionError('INVALID_FILE', `The clients file ${path} is not JSON (${whereNoJson(text)}).`);
  }
}

function readText(path: string): string {
  try {
    return decodeUtf8(readFileSync(path));
  } catch (cause) {
    const why =
      cause instanceof NotUtf8Error
        ? `${cause.message}: save it as UTF-8`
        : `cannot be read (${systemCode(cause) ?? 'unknown error'})`;
    throw new PaysessionError('INVALID_FILE', `The clients file ${path} ${why}.`, { cause });
  }
}

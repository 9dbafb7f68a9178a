import type { z } from 'zod';
import { fieldFailures } from '../../src/contract/fields/field-failures';
import type { FieldRule } from '../../src/contract/fields/field-rules';

/** A refinement for zod: the value follows a rule of the contract. */
export const following =
  (rule: FieldRule) =>
  (value: unknown, context: z.RefinementCtx): void => {
    for (const { message } of fieldFailures(rule, value)) context.addIssue({ code: 'custom', message });
  };

import type { z } from 'zod';
import { type FieldRule, fieldFailures } from '../../src/contract/field-rules';

/** A refinement for zod: the value follows a rule of the contract. */
export const following =
  (rule: FieldRule) =>
  (value: unknown, context: z.RefinementCtx): void => {
    for (const { message } of fieldFailures(rule, value)) context.addIssue({ code: 'custom', message });
  };

import type { Option } from 'commander';

const SUGGESTIONS = new WeakMap<Option, readonly string[]>();

/** Has the shell complete an option that takes other values, too: unlike `choices`, it refuses none. */
export function suggesting(option: Option, values: readonly string[]): Option {
  SUGGESTIONS.set(option, values);
  return option;
}

/** The values that are suggested for an option; empty for most. */
export const suggestionsOf = (option: Option): readonly string[] => SUGGESTIONS.get(option) ?? [];

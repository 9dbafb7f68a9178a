import type { Journal } from './journal';

/** A part of the journal that holds a single record, under the key itself. */
export function singleRecord<Value>(
  journal: Journal,
  key: string,
  restore: (value: Value | undefined) => void,
): { put(value: Value): void } {
  const drawer = journal.drawer<Value>(key, (records) => {
    restore(records.get(''));
  });
  return {
    put: (value) => {
      drawer.put('', value);
    },
  };
}

/** A client or worker, and the ids of its keys: first the key that encrypts; none if it does not encrypt. */
interface Holder {
  readonly name: string;
  readonly keyIds: readonly string[];
}

/** The keys that the checked open sessions need. */
export interface KeyUse {
  /** The number of sessions that were checked. */
  readonly looked: number;
  /** True if all open sessions were checked. */
  readonly complete: boolean;
  readonly neededKeys: readonly string[];
  /** The number of sessions that hold data in plain text: they wait if encryption is required. */
  readonly inPlainText: number;
  /** The time for which the namespace keeps ended sessions, such as `72 h`, if the Temporal server reports it. */
  readonly retention?: string;
}

/** The keys of this machine and of each worker, and the keys that open sessions need. */
export interface KeySituation {
  /** Ids of the keys in the settings of this machine: first the key that encrypts. */
  readonly here: readonly string[];
  /** The ids are `undefined` if the worker's data converter is not ours. */
  readonly workers: readonly { readonly name: string; readonly keyIds: readonly string[] | undefined }[];
  readonly use: KeyUse;
}

/** The next step in a change of keys. */
export interface NextStep {
  readonly step: 'create' | 'append' | 'promote' | 'drop' | 'none';
  /** False if sessions wait for a key, or will. */
  readonly ok: boolean;
  readonly text: string;
}

const HERE = 'this machine';

/**
 * Applies the rules of a change in two steps. A key encrypts only once all clients and workers can decrypt with it. It can be removed once
 * no session needs it.
 */
export function nextStep({ here, workers, use }: KeySituation): NextStep {
  const holders = [
    { name: HERE, keyIds: here },
    ...workers.flatMap(({ name, keyIds }) => (keyIds === undefined ? [] : [{ name, keyIds }])),
  ];
  const currents = distinct(holders.flatMap(({ keyIds }) => keyIds.slice(0, 1)));
  const [current] = currents;
  if (current === undefined)
    return { step: 'create', ok: true, text: 'No keys are set anywhere. Make one: `paysession keys new`.' };
  const lackers = (id: string) => holders.filter(({ keyIds }) => !keyIds.includes(id));
  const urgent = distinct([...currents, ...use.neededKeys]).filter((id) => lackers(id).length > 0);
  if (urgent.length > 0)
    return { step: 'append', ok: false, text: urgent.map((id) => appendTo(id, lackers(id))).join(' ') };
  const known = distinct(holders.flatMap(({ keyIds }) => keyIds));
  const spreading = known.filter((id) => lackers(id).length > 0);
  if (spreading.length > 0)
    return { step: 'append', ok: true, text: spreading.map((id) => appendTo(id, lackers(id))).join(' ') };
  return settled(known, current, holders, use);
}

/** Returns the next step once all clients and workers have the same keys, `known`. `current` is a key with which some encrypt. */
function settled(
  known: readonly string[],
  current: string,
  holders: readonly Holder[],
  use: KeyUse,
): NextStep {
  const newest = known.reduce((latest, id) => (isNewer(id, latest) === true ? id : latest), current);
  const behind = holders.filter(({ keyIds }) => keyIds[0] !== newest);
  if (behind.length > 0) return { step: 'promote', ok: true, text: promote(newest, behind) };
  const unused = known.filter((id) => id !== newest && !use.neededKeys.includes(id));
  const unclear = unused.filter((id) => isNewer(id, newest) === undefined);
  if (unclear.length > 0) {
    const ids = unclear.join(', ');
    const text = `All clients and workers have ${ids}, and no open session needs ${itOrThem(unclear)}. Put a new key first everywhere; remove an old one.${whenToDrop(use)}`;
    return { step: 'promote', ok: true, text };
  }
  if (unused.length > 0) {
    return {
      step: 'drop',
      ok: true,
      text: `No open session needs ${unused.join(', ')}: you can remove ${itOrThem(unused)}.${whenToDrop(use, itOrThem(unused))}`,
    };
  }
  const kept = known.filter((id) => id !== newest);
  const keeping = kept.length === 0 ? '' : ` Keep ${kept.join(', ')}: open sessions need ${itOrThem(kept)}.`;
  return { step: 'none', ok: true, text: `All clients and workers encrypt with ${newest}.${keeping}` };
}

const appendTo = (id: string, who: readonly Holder[]): string =>
  `Append the key ${id} after the others on: ${who.map(({ name }) => name).join('; ')}.`;

const promote = (id: string, who: readonly Holder[]): string =>
  `All clients and workers can decrypt with ${id}. To encrypt with it, put it first on: ${who.map(({ name }) => name).join('; ')}.`;

function whenToDrop({ complete, retention }: KeyUse, it = 'it'): string {
  const after = `${retention === undefined ? '' : ` Ended sessions may need ${it} for another ${retention}.`} A ledger needs ${it} until \`paysession ledger rewrap\` has run.`;
  return complete
    ? after
    : `${after} Not all open sessions were checked: raise --limit before you remove ${it}.`;
}

/** True if `id` is newer than `than`. Ids of `paysession keys new` begin with the day. Returns `undefined` if one of the two does not. */
function isNewer(id: string, than: string): boolean | undefined {
  const dated = /^\d{4}-\d\d(-\d\d)?(\D|$)/;
  return dated.test(id) && dated.test(than) ? id > than : undefined;
}

const itOrThem = (ids: readonly string[]): string => (ids.length === 1 ? 'it' : 'them');

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

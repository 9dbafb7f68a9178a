/** A client or a worker, and the ids of its keys. The first key encrypts. If there are no keys, the client or worker does not encrypt. */
interface Holder {
  readonly name: string;
  readonly keyIds: readonly string[];
  /** True if the worker may have more keys than its identity shows. */
  readonly mayHaveMore?: boolean;
}

/** The keys that the checked open sessions need. */
export interface KeyUse {
  /** The number of sessions that were checked. */
  readonly looked: number;
  /** True if all open sessions were checked. */
  readonly complete: boolean;
  readonly neededKeys: readonly string[];
  /** The number of sessions with data in plain text. If encryption is required, these sessions are stuck. */
  readonly inPlainText: number;
  /** The time for which the namespace keeps ended sessions, such as `72 h`, if the Temporal server reports it. */
  readonly retention?: string;
}

/** The keys of this machine and of each worker, and the keys that open sessions need. */
export interface KeySituation {
  /** The ids of the keys in this machine's settings. The first key encrypts. */
  readonly here: readonly string[];
  /** The workers. A worker's ids are `undefined` if it uses a data converter of its own. */
  readonly workers: readonly (Omit<Holder, 'keyIds'> & { readonly keyIds: readonly string[] | undefined })[];
  readonly use: KeyUse;
}

/** The next step in a change of keys. */
export interface NextStep {
  readonly step: 'create' | 'append' | 'promote' | 'drop' | 'none';
  /** False if sessions are stuck because a key is missing, or will be. */
  readonly ok: boolean;
  readonly text: string;
}

const HERE = 'this machine';

/**
 * Returns the next step in a change of keys. A new key may encrypt only when all clients and workers have it. An old key can be removed when no
 * session needs it.
 *
 * A worker shows at most eight keys in its identity, and may have more. So a key that such a worker does not show counts as present there. But if it
 * is the newest key, the next step is to add it there.
 */
export function nextStep({ here, workers, use }: KeySituation): NextStep {
  const holders = [
    { name: HERE, keyIds: here },
    ...workers.flatMap(({ keyIds, ...worker }) => (keyIds === undefined ? [] : [{ ...worker, keyIds }])),
  ];
  const step = stepOf(holders, use);
  return { ...step, text: `${step.text}${unknown(holders)}` };
}

function stepOf(holders: readonly Holder[], use: KeyUse): NextStep {
  const currents = distinct(holders.flatMap(({ keyIds }) => keyIds.slice(0, 1)));
  const [current] = currents;
  if (current === undefined) return noKeys(use.neededKeys);
  const lackers = (id: string) => withoutKey(id, holders).filter(({ mayHaveMore }) => !mayHaveMore);
  const urgent = distinct([...currents, ...use.neededKeys]).filter((id) => lackers(id).length > 0);
  if (urgent.length > 0)
    return { step: 'append', ok: false, text: urgent.map((id) => appendTo(id, lackers(id))).join(' ') };
  const known = distinct(holders.flatMap(({ keyIds }) => keyIds));
  const spreading = known.filter((id) => lackers(id).length > 0);
  if (spreading.length > 0)
    return { step: 'append', ok: true, text: spreading.map((id) => appendTo(id, lackers(id))).join(' ') };
  return stepOnceAllHaveKeys(known, current, holders, use);
}

/** Returns the next step if there are no keys, on this machine and at all workers. */
function noKeys(needed: readonly string[]): NextStep {
  if (needed.length === 0)
    return { step: 'create', ok: true, text: 'No keys are set anywhere. Make one: `paysession keys new`.' };
  const text = `Open sessions need ${needed.join(', ')}, and neither this machine nor a worker has a key. Set ${itOrThem(needed)} again.`;
  return { step: 'append', ok: false, text };
}

/** Returns the next step if all clients and workers have all keys, as far as is known. @param current the key that currently encrypts somewhere */
function stepOnceAllHaveKeys(
  known: readonly string[],
  current: string,
  holders: readonly Holder[],
  use: KeyUse,
): NextStep {
  const newest = known.reduce((latest, id) => (isNewer(id, latest) === true ? id : latest), current);
  const silent = withoutKey(newest, holders);
  if (silent.length > 0)
    return { step: 'append', ok: true, text: `Put the key ${newest} second on: ${namesOf(silent)}.` };
  const behind = holders.filter(({ keyIds }) => keyIds[0] !== newest);
  if (behind.length > 0) return { step: 'promote', ok: true, text: promote(newest, behind) };
  const unused = known.filter((id) => id !== newest && !use.neededKeys.includes(id));
  const unclear = unused.filter((id) => isNewer(id, newest) === undefined);
  if (unclear.length > 0) {
    const ids = unclear.join(', ');
    const facts = unclear.some((id) => withoutKey(id, holders).length > 0)
      ? `No open session needs ${ids}.`
      : `This machine and all workers have ${ids}, and no open session needs ${itOrThem(unclear)}.`;
    const text = `${facts} Put a new key first everywhere; remove an old one.${whenToDrop(use)}`;
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
  return { step: 'none', ok: true, text: `This machine and all workers encrypt with ${newest}.${keeping}` };
}

/** Returns the clients and workers that do not show the key. */
const withoutKey = (id: string, holders: readonly Holder[]): readonly Holder[] =>
  holders.filter(({ keyIds }) => !keyIds.includes(id));

const namesOf = (holders: readonly Holder[]): string => holders.map(({ name }) => name).join('; ');

/** Returns a sentence about keys that workers may have although they do not show them. Returns '' if there are no such keys. */
function unknown(holders: readonly Holder[]): string {
  const full = holders.filter(({ mayHaveMore }) => mayHaveMore);
  const ids = distinct(holders.flatMap(({ keyIds }) => keyIds)).filter(
    (id) => withoutKey(id, full).length > 0,
  );
  if (ids.length === 0) return '';
  const workers = full.filter(({ keyIds }) => ids.some((id) => !keyIds.includes(id)));
  return ` A worker announces only its first eight keys, so it is unknown whether these have ${ids.join(', ')}: ${namesOf(workers)}.`;
}

const appendTo = (id: string, who: readonly Holder[]): string =>
  `Append the key ${id} after the others on: ${namesOf(who)}.`;

const promote = (id: string, who: readonly Holder[]): string =>
  `This machine and all workers can decrypt with ${id}. Once all other clients can, too, put it first to encrypt with it on: ${namesOf(who)}.`;

function whenToDrop({ complete, retention }: KeyUse, it = 'it'): string {
  const after = `${retention === undefined ? '' : ` Ended sessions may need ${it} for another ${retention}.`} A ledger needs ${it} until \`paysession ledger rewrap\` has run.`;
  return complete
    ? after
    : `${after} Not all open sessions were checked: raise --limit before you remove ${it}.`;
}

/**
 * True if the key `id` is newer than the key `than`. The ids that `paysession keys new` chooses begin with a date. If one of the two does not, returns
 * `undefined`.
 */
function isNewer(id: string, than: string): boolean | undefined {
  const dated = /^\d{4}-\d\d(-\d\d)?(\D|$)/;
  return dated.test(id) && dated.test(than) ? id > than : undefined;
}

const itOrThem = (ids: readonly string[]): string => (ids.length === 1 ? 'it' : 'them');

function distinct(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

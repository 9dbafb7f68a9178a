import { formatState } from '../../shared/screen/output';
import { stateCell } from '../../shared/session/styled-state';
import { formatTable } from '../../shared/screen/table';
import { sessionKind } from '../../../src/contract/kinds';
import type { StateHistoryEntry } from '../../../src/protocol/state/recorded';
import type { Scene } from './scenes';

/** Shows each change of state as it happens. */
export interface Board {
  show(scene: Scene, entry: StateHistoryEntry): void;
}

/** Shows nothing. */
export const SILENT: Board = { show: () => undefined };

type Write = (text: string) => void;

/** A table that is drawn again in place on a terminal; one plain line a change anywhere else. */
export function createBoard(scenes: readonly Scene[], output: NodeJS.WriteStream): Board {
  const write: Write = (text) => output.write(text);
  return output.isTTY ? liveTable(scenes, write) : plainLines(write);
}

function plainLines(write: Write): Board {
  const startedAtMs = performance.now();
  return {
    show: (scene, entry) => {
      const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(5);
      write(`${seconds} s  ${scene.key.padEnd(18)} ${formatState(entry).padEnd(18)} (${entry.source})\n`);
    },
  };
}

function liveTable(scenes: readonly Scene[], write: Write): Board {
  const entries = new Map<string, StateHistoryEntry>();
  let drawnLines = 0;
  const draw = () => {
    const rows = scenes.map(({ key, title, request }) => {
      const entry = entries.get(key);
      return [
        title,
        entry === undefined ? '…' : stateCell({ ...entry, kind: sessionKind(request) }),
        entry?.firstSeenAt.slice(11, 23) ?? '',
        entry?.source ?? '',
      ];
    });
    const text = formatTable(['SESSION', 'STATE', 'SINCE (UTC)', 'LEARNED BY'], rows);
    write(`${drawnLines === 0 ? '' : `\u001b[${drawnLines}A\u001b[0J`}${text}\n`);
    drawnLines = text.split('\n').length;
  };
  draw();
  return {
    show: (scene, entry) => {
      entries.set(scene.key, entry);
      draw();
    },
  };
}

import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { MAIN } from '../support/cli/run-paysession';

// These tests run only on Linux. On other systems, the program `script` takes other arguments, and bash may be too old for the completion.
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('in a terminal, a command prints a table in colour that fits the terminal’s width', async () => {
  const { NO_COLOR: _none, ...env } = process.env;
  const command = `stty cols 60; ${process.execPath} ${MAIN} sandbox --scenarios`;
  const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], {
    env: { ...env, TERM: 'xterm' },
  });
  expect(stdout).toContain('\u001b[1mREFERENCE ID');
  const table = stripVTControlCharacters(stdout).split(/\r?\n/).slice(0, -2);
  expect(table.length).toBeGreaterThan(10);
  for (const line of table) expect(line.length).toBeLessThanOrEqual(60);
});

onLinux('the completion script for bash completes a command in bash', async () => {
  const session = `
    paysession() { "${process.execPath}" "${MAIN}" "$@"; }
    # The part of the package bash-completion that the script needs.
    _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; }
    compopt() { :; }
    source <(paysession completion bash)
    COMP_WORDS=(paysession hist) COMP_CWORD=1
    __paysession_complete
    echo "\${COMPREPLY[@]}"
    complete -p paysession`;
  const { stdout } = await promisify(execFile)('bash', ['-c', session]);
  expect(stdout).toBe('history\ncomplete -o default -F __paysession_complete paysession\n');
});

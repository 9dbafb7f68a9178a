import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import { needOptionalPackages } from '../../src/files';
import { printLine } from '../shared/output';
import { suggestionsOf } from '../shared/parse-arguments';
import { withSessions } from '../shared/sessions';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
const NAME = 'completion';
/** The answer that makes the shell itself complete the names of files. */
const FILES = ':0';

/**
 * Adds two commands. `completion` prints a completion script for a shell. The hidden command `complete` is called by that script at each press of Tab.
 *
 * @param create returns the command line without these two commands, because the completion package adds commands with the same names
 */
export function registerCompletion(program: Command, create: () => Command): void {
  program
    .command(NAME)
    .description('print a script that completes commands and options at Tab')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExamples:\n  $ source <(paysession completion bash)' +
        '\n  $ paysession completion zsh > "${fpath[1]}/_paysession"' +
        '\n  $ paysession completion fish > ~/.config/fish/completions/paysession.fish' +
        '\n  $ paysession completion powershell >> $PROFILE',
    )
    .action(async (shell: string) => {
      const completer = await completerOf(create());
      completer.setup(program.name(), program.name(), shell);
      // Turns on bash's own completion of file names. The package's script turns it off where file names do not fit, but never turns it on.
      if (shell === 'bash')
        printLine(`complete -o default -F __${program.name()}_complete ${program.name()}`);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const bare = create();
      if (wantsFile(bare, words)) {
        printLine(FILES);
        return;
      }
      const completer = await completerOf(bare);
      suggestValues(completer, bare);
      if (wantsKey(bare, words)) suggestKeys(completer, namedCommand(bare, words).name, await newestKeys());
      completer.parse(words);
    });
}

/** Finds the command that the first words name, such as `ledger show`. Returns the command, its name, and the words after the name. */
function namedCommand(program: Command, words: readonly string[]) {
  let command = program;
  let length = 0;
  for (let next: Command | undefined = program; next !== undefined; length += 1) {
    command = next;
    next = command.commands.find((one) => one.name() === words[length]);
  }
  return { command, name: words.slice(0, length - 1).join(' '), words: words.slice(length - 1) };
}

/** True if the last word is a path. The shell itself completes paths. */
function wantsFile(program: Command, line: readonly string[]): boolean {
  const { command, words } = namedCommand(program, line);
  const last = words.at(-1);
  if (last === undefined) return false;
  const before = words.at(-2) ?? '';
  const option = command.options.find(({ long, short }) => before === long || before === short);
  if (option?.required) return PATH.test(option.flags);
  const takesPaths = command.registeredArguments.some((argument) => PATH.test(`<${argument.name()}>`));
  return takesPaths && !last.startsWith('-');
}

const PATH = /<(file|dir|folder|paths)>/;

type Completer = Awaited<ReturnType<typeof completerOf>>;

/** Adds the values that `suggesting` has set for options. The completion package itself knows only the `choices` of options. */
function suggestValues({ commands }: Completer, program: Command): void {
  for (const [name, completed] of commands) {
    for (const option of namedCommand(program, name.split(' ')).command.options) {
      const values = suggestionsOf(option);
      const handled = completed.options.get(option.long?.slice(2) ?? '');
      if (values.length > 0 && handled !== undefined) handled.handler = offering(values);
    }
  }
}

const MOST_KEYS = 50;
/** The longest wait for keys. It is short, because a person is waiting at the prompt. */
const KEYS_WITHIN_MS = 1_500;

/** Returns the keys of the newest sessions. If the Temporal server takes too long, returns the keys that have arrived by then. */
async function newestKeys(): Promise<readonly string[]> {
  const keys: string[] = [];
  const reading = withSessions(async (sessions) => {
    for await (const { key } of sessions.list()) if (keys.push(key) === MOST_KEYS) return;
  });
  const late = sleep(KEYS_WITHIN_MS, undefined, { ref: false });
  await Promise.race([reading, late]).catch(() => undefined);
  return [...keys];
}

/** True if the last word is a session's key. */
export function wantsKey(program: Command, line: readonly string[]): boolean {
  const { command, words } = namedCommand(program, line);
  const [argument] = command.registeredArguments;
  if (argument === undefined || !/^keys?$/.test(argument.name())) return false;
  const takesValue = (word: string | undefined) =>
    command.options.some(({ long, required }) => required && long === word);
  const places = [...words.keys()].filter(
    (place) => words[place]?.startsWith('-') !== true && !takesValue(words[place - 1]),
  );
  return places.at(-1) === words.length - 1 && (argument.variadic || places.length === 1);
}

function suggestKeys({ commands }: Completer, name: string, keys: readonly string[]): void {
  const [argument] = commands.get(name)?.arguments.values() ?? [];
  if (argument !== undefined) argument.handler = offering(keys);
}

/** Returns a handler that offers these values. */
const offering = (values: readonly string[]) => (complete: (value: string, description: string) => void) => {
  for (const value of values) complete(value, '');
};

async function completerOf(program: Command) {
  needOptionalPackages('Shell completion', ['@bomb.sh/tab']);
  const { default: tab } = await import('@bomb.sh/tab/commander');
  return tab(program, { completionCommandName: NAME });
}

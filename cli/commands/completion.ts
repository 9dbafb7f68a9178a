import { Argument, type Command } from 'commander';
import { needOptionalPackages } from '../../src/files/optional-packages';
import { printLine } from '../shared/screen/output';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
const NAME = 'completion';
/** Tells the script to complete files. */
const FILES = ':0';

/**
 * The command that writes a shell's completion script, and the hidden one that the script asks at each press of Tab.
 *
 * @param create makes the command line without these two: the package that completes adds its own
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
      // The script turns bash's own completion of files off where it does not fit, and never on.
      if (shell === 'bash')
        printLine(`complete -o default -F __${program.name()}_complete ${program.name()}`);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const bare = create();
      if (wantsFile(bare, words)) printLine(FILES);
      else (await completerOf(bare)).parse(words);
    });
}

/** Whether the last word is to be a path, which the shell itself completes. */
function wantsFile({ commands }: Command, words: readonly string[]): boolean {
  const command = commands.find((one) => one.name() === words[0]);
  const [before, last = ''] = words.slice(-2);
  if (command === undefined || words.length < 2) return false;
  const option = command.options.find(({ long, short }) => before === long || before === short);
  if (option?.required) return PATH.test(option.flags);
  const takesPaths = command.registeredArguments.some((argument) => PATH.test(`<${argument.name()}>`));
  return takesPaths && !last.startsWith('-');
}

const PATH = /<(file|dir|folder|paths)>/;

async function completerOf(program: Command) {
  needOptionalPackages('Shell completion', ['@bomb.sh/tab']);
  const { default: tab } = await import('@bomb.sh/tab/commander');
  return tab(program, { completionCommandName: NAME });
}

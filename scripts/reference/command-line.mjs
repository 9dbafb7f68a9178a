import cli from '../../dist/cli/program.js';
import { code, page, table } from './markdown.mjs';

const program = cli.createProgram();
/**
 * The commands that `--help` lists, without `help` itself. A group of commands is not listed itself, and its commands are, such as `keys
 * new` and `keys check`.
 */
const commands = program
  .createHelp()
  .visibleCommands(program)
  .filter((command) => command.name() !== 'help')
  .flatMap((command) =>
    command.commands.length > 0 && command.options.length === 0
      ? command.commands
      : [command, ...command.commands],
  );

export const commandLinePage = page(
  'Command line',
  'For each command, `--help` shows the text below, and notes on some commands. [Exit codes](exit-codes.md) lists the results of commands. [Settings](settings.md) says how to set the addresses of Temporal and of the payment service.',
  table(commands, [
    ['Command', (command) => `[\`${nameOf(command)}\`](#paysession-${nameOf(command).replaceAll(' ', '-')})`],
    ['What it does', (command) => command.description()],
  ]),
  ...commands.flatMap((command) => [
    `## paysession ${nameOf(command)}`,
    `${sentence(command.description())}.`,
    `Usage: ${code(`paysession ${nameOf(command)} ${command.usage()}`)}`,
    `\`\`\`sh\n${examplesOf(command)}\n\`\`\``,
    ...inputsOf(command),
  ]),
);

function nameOf(command) {
  const isOfGroup = command.parent !== program;
  return isOfGroup ? `${command.parent.name()} ${command.name()}` : command.name();
}

/** Returns the examples at the end of a command's help, without the prompts. */
function examplesOf(command) {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, examples = ''] = help.split(/^Examples?:$/m);
  return examples.trim().replaceAll(/^ *(\$ )?/gm, '');
}

function inputsOf(command) {
  const inputs = [
    ...command.registeredArguments.map((argument) => ({
      name: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      input: argument,
    })),
    ...command.options.map((option) => ({ name: option.flags, input: option })),
  ];
  if (inputs.length === 0) return [];
  return [
    table(inputs, [
      ['Argument or option', ({ name }) => code(name)],
      ['Default', ({ input }) => defaultOf(input)],
      ['Meaning', ({ input }) => meaningOf(input)],
    ]),
  ];
}

function defaultOf({ defaultValue, defaultValueDescription, negate }) {
  if (defaultValueDescription !== undefined) return defaultValueDescription;
  return defaultValue === undefined || negate === true ? '' : code(String(defaultValue));
}

function meaningOf({ description, argChoices }) {
  const choices = argChoices === undefined ? '' : `: ${argChoices.map(code).join(', ')}`;
  return `${description}${choices}`;
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1);
}

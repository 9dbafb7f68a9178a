import { InvalidArgumentError, Option, type Command } from 'commander';
import { SETTINGS, type SettingName } from '../../../src/settings';

/** The flags of a command that connects to Temporal; each stands for a setting, and wins over the environment. */
const FLAGS = [
  { flags: '--address <host:port>', setting: 'TEMPORAL_ADDRESS', meaning: 'the Temporal server' },
  { flags: '--namespace <name>', setting: 'TEMPORAL_NAMESPACE', meaning: 'the namespace of the sessions' },
  {
    flags: '--profile <name>',
    setting: 'TEMPORAL_PROFILE',
    meaning: 'the profile to read from Temporal’s configuration file',
  },
] as const satisfies readonly { flags: string; setting: SettingName; meaning: string }[];

const HEADING = 'Connection options:';

export function addConnectionFlags(command: Command): void {
  for (const { flags, setting, meaning } of FLAGS) {
    const option = new Option(flags, `${meaning} (default: ${setting})`).helpGroup(HEADING);
    command.addOption(option.argParser((text) => checked(setting, text)));
    command.hook('preAction', () => {
      const given: unknown = command.getOptionValue(option.attributeName());
      // The process is this command alone: all that reads settings, reads it here.
      if (typeof given === 'string') process.env[setting] = given;
    });
  }
}

function checked(setting: SettingName, text: string): string {
  const parsed = SETTINGS.find(({ name }) => name === setting)?.schema.safeParse(text);
  const problem = parsed?.error?.issues[0]?.message;
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

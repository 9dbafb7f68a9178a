import { Option, type Command } from 'commander';
import type { SettingName } from '../../src/settings';

/** The flags of a command that connects to Temporal. Each flag overrides a setting in the environment. */
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

/** Adds the flags of a command that connects to Temporal. */
export function addConnectionFlags(command: Command): void {
  for (const { flags, setting, meaning } of FLAGS) {
    const option = new Option(flags, `${meaning} (default: ${setting})`).helpGroup(HEADING);
    command.addOption(option);
    command.hook('preAction', async () => {
      const given: unknown = command.getOptionValue(option.attributeName());
      if (typeof given !== 'string') return;
      await refuseUnfit(command, { flags, setting, given });
      // The flag is written to the environment, from which all code reads settings. That is safe, because the process runs only this command.
      process.env[setting] = given;
    });
  }
}

/** A flag that sets a setting, and its value. */
interface SettingFlag {
  readonly flags: string;
  readonly setting: SettingName;
  readonly given: string;
}

/** Ends the command with an error if the flag's value is invalid for its setting. */
export async function refuseUnfit(command: Command, { flags, setting, given }: SettingFlag): Promise<void> {
  const { SETTINGS } = await import('../../src/settings/index.js');
  const parsed = SETTINGS.find(({ name }) => name === setting)?.schema.safeParse(given);
  const problem = parsed?.error?.issues[0]?.message;
  if (problem !== undefined)
    command.error(`error: option '${flags}' argument '${given}' is invalid. It ${problem}.`);
}

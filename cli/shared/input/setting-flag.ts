import type { Command } from 'commander';
import type { SettingName } from '../../../src/settings';

/** A flag that takes the place of a setting, and its value. */
interface SettingFlag {
  readonly flags: string;
  readonly setting: SettingName;
  readonly given: string;
}

/** Ends the command if the setting would refuse the flag's value. */
export async function refuseUnfit(command: Command, { flags, setting, given }: SettingFlag): Promise<void> {
  const { SETTINGS } = await import('../../../src/settings/index.js');
  const parsed = SETTINGS.find(({ name }) => name === setting)?.schema.safeParse(given);
  const problem = parsed?.error?.issues[0]?.message;
  if (problem !== undefined)
    command.error(`error: option '${flags}' argument '${given}' is invalid. It ${problem}.`);
}

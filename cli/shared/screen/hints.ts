/** How this command line was started, where a shell would not find it by its name alone. */
const INSTALLED =
  /[\\/]node_modules[\\/](?:\.bin[\\/]paysession(?:\.\w+)?|(?:.*[\\/])?paysession[\\/]dist[\\/]cli[\\/]main\.js)$/;

/** What a user types before `paysession`: `npx ` for a package of the project, nothing for one that is installed for all. */
export function runnerOf(
  started = process.argv[1] ?? '',
  agent = process.env['npm_config_user_agent'] ?? '',
): string {
  if (!INSTALLED.test(started)) return '';
  return agent.startsWith('pnpm/') ? 'pnpm exec ' : 'npx ';
}

/** A text for a person, whose commands run as they are printed. */
export const asTyped = (text: string, runner = runnerOf()): string =>
  text.replaceAll(/(`|^ *\$ )paysession (?=[a-z-])/gm, `$1${runner}paysession `);

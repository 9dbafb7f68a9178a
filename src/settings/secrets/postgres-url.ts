import { settingFault } from '../../contract/values/outside-text';

const SUCH_AS = 'must be a URL such as postgresql://USER:PASSWORD@HOST:5432/DATABASE';

const SEVERAL_HOSTS =
  'names several hosts, which is not supported: name one address that leads to the primary server, such as that of a pooler or a service';

/** What PostgreSQL's own library takes, and the driver would pass over in silence, though another server is meant. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  target_session_attrs: 'any',
  load_balance_hosts: 'disable',
  hostaddr: '',
  service: '',
  servicefile: '',
  passfile: '',
};

/** Says what is wrong with the URL of a PostgreSQL database; `undefined` if nothing is. Quotes nothing of it, since it has a password. */
export function postgresFault(value: string): string | undefined {
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(value) ?? [];
  if (hosts.includes(',')) return SEVERAL_HOSTS;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length <= 1) return SUCH_AS;
  if (!isReadable(`${url.username}${url.password}`)) return SUCH_AS;
  const { searchParams } = url;
  if (['host', 'port'].some((name) => searchParams.get(name)?.includes(','))) return SEVERAL_HOSTS;
  const notTaken = Object.entries(NOT_TAKEN).find(
    ([name, harmless]) => searchParams.has(name) && searchParams.get(name) !== harmless,
  );
  return notTaken && `has the parameter ${notTaken[0]}, which is not supported`;
}

/** Whether what is escaped in a URL is text, without control characters: a line break comes along where a secret is put in. */
function isReadable(escaped: string): boolean {
  try {
    return settingFault(decodeURIComponent(escaped)) === undefined;
  } catch {
    return false;
  }
}

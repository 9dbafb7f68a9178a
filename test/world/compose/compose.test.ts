import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../../../cli/program';
import { SETTINGS, readWorkerSettings } from '../../../src/settings';
import { snippetsOf } from '../../support/docs/snippets';
import type { ComposeService } from '../../support/compose/compose-schema';
import {
  OWN_IMAGE,
  PROJECT,
  listeningPorts,
  loadCompose,
  readProjectFile,
  REQUIRED_VALUE,
  requiredIn,
  variablesIn,
  withDefaults,
} from '../../support/compose/load-compose';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const compose = loadCompose();
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image === OWN_IMAGE);
const theirs = services.filter(([, { image }]) => image !== OWN_IMAGE);

/** For each image of another project: the environment variables that our file may set. Those projects document the variables. */
const FOREIGN_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    ...['POSTGRES_USER', 'POSTGRES_PASSWORD', 'POSTGRES_DB'],
    // The program psql reads the first ones. Our script in this container reads the passwords.
    ...['PGHOST', 'PGUSER', 'PGDATABASE', 'PGPASSWORD', 'WORKER_PASSWORD', 'KEEPER_PASSWORD'],
  ],
  'temporalio/server': [
    'DB',
    'DB_PORT',
    'POSTGRES_SEEDS',
    'POSTGRES_USER',
    'POSTGRES_PWD',
    'BIND_ON_IP',
    'TEMPORAL_BROADCAST_ADDRESS',
    'DYNAMIC_CONFIG_FILE_PATH',
    'PROMETHEUS_ENDPOINT',
  ],
  'temporalio/admin-tools': [
    'TEMPORAL_ADDRESS',
    'TEMPORAL_NAMESPACE',
    'SQL_PLUGIN',
    'SQL_HOST',
    'SQL_PORT',
    'SQL_USER',
    'SQL_PASSWORD',
  ],
  'temporalio/ui': ['TEMPORAL_ADDRESS', 'TEMPORAL_CODEC_ENDPOINT', 'TEMPORAL_DISABLE_NEWS_FETCH'],
  'grafana/grafana': [
    'GF_SECURITY_ADMIN_PASSWORD',
    'GF_AUTH_ANONYMOUS_ENABLED',
    'GF_ANALYTICS_REPORTING_ENABLED',
  ],
};

/** The services that run one command and end, in place of running on. */
const JOBS_OF_TEMPORAL = ['temporal-schema', 'temporal-namespace'];
const JOBS = [...JOBS_OF_TEMPORAL, 'ledger-schema'];

function service(name: string): ComposeService {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

describe('the images in docker-compose.yml', () => {
  test('of other projects are pinned to a version and its digest', () => {
    for (const [, { image }] of theirs)
      expect(image).toMatch(/^[a-z/-]+:v?\d+\.\d+[\d.]*@sha256:[\da-f]{64}$/);
  });

  test('of Temporal’s server and its tools have the same version', () => {
    const [, version] = /^temporalio\/server:([\d.]+)@/.exec(service('temporal').image) ?? [];
    for (const job of JOBS_OF_TEMPORAL)
      expect(service(job).image).toContain(`temporalio/admin-tools:${version}@`);
  });

  test('of our own services are built here', () => {
    expect(ours.map(([name]) => name).sort()).toEqual([
      'codec',
      'console',
      'keeper',
      'ledger-schema',
      'sandbox',
      'worker',
    ]);
    for (const [, { build }] of ours) expect(build).toBe('.');
  });
});

describe('the Linux capabilities in docker-compose.yml', () => {
  test.each(ours)(
    'are all dropped for our service %s, whose file system is read-only outside of volumes and /tmp',
    (_name, { cap_drop, cap_add, security_opt, read_only, tmpfs }) => {
      expect([cap_drop, cap_add]).toEqual([['ALL'], undefined]);
      expect(security_opt).toEqual(['no-new-privileges:true']);
      expect(read_only).toBe(true);
      expect(tmpfs).toEqual([expect.stringMatching(/^\/tmp:/)]);
    },
  );

  test.each(theirs.filter(([, { image }]) => /^(temporalio|prom)\//.test(image)))(
    'are all dropped for %s',
    (_name, { cap_drop, cap_add, security_opt }) => {
      expect([cap_drop, cap_add]).toEqual([['ALL'], undefined]);
      expect(security_opt).toEqual(['no-new-privileges:true']);
    },
  );

  test.each(['postgresql', 'ledger'])(
    'of %s are only those with which its image switches to its own user',
    (name) => {
      const { cap_drop, cap_add, security_opt } = service(name);
      expect(cap_drop).toEqual(['ALL']);
      expect(cap_add).toEqual(['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']);
      expect(security_opt).toEqual(['no-new-privileges:true']);
    },
  );
});

test.each(services)('the log of %s in docker-compose.yml is limited to 30 MB', (_name, { logging }) => {
  expect(logging.options).toEqual({ 'max-size': '10m', 'max-file': '3' });
});

describe('the variables in docker-compose.yml', () => {
  test.each(ours)('that %s gets are settings of paysession', (_name, { environment }) => {
    const settings: readonly string[] = SETTINGS.map(({ name }) => name);
    expect(settings).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  test.each(theirs)('that %s gets are known to its image', (_name, { image, environment }) => {
    const known = FOREIGN_VARIABLES[image.split(':')[0] ?? ''] ?? [];
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });

  test('with the databases’ passwords have no default, and the guide’s command writes them to a file', () => {
    const values = services.flatMap(([, { environment }]) => Object.entries(environment));
    const passwords = values.filter(
      ([name]) => /(PASSWORD|PWD|LEDGER_URL)$/.test(name) && !name.startsWith('GF_'),
    );
    const required = [...new Set(passwords.flatMap(([, value]) => requiredIn(value)))].sort();
    for (const [name, value] of passwords)
      expect([name, requiredIn(value)]).toEqual([name, [expect.any(String)]]);
    expect(required).toEqual([
      'LEDGER_KEEPER_PASSWORD',
      'LEDGER_OWNER_PASSWORD',
      'LEDGER_WORKER_PASSWORD',
      'POSTGRES_PASSWORD',
    ]);
    const script =
      snippetsOf('docs/guides/compose.md').find(({ code }) => code.endsWith(' > .env\n'))?.code ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'paysession-compose-env-'));
    try {
      execFileSync('sh', ['-c', script], { cwd: folder });
      const lines = readFileSync(join(folder, '.env'), 'utf8').trim().split('\n');
      expect(lines.map((line) => line.split('=')[0]).sort()).toEqual(required);
      expect(new Set(lines.map((line) => line.split('=')[1])).size).toBe(required.length);
      for (const line of lines) expect(line).toMatch(/^\w+=[\da-f]{48}$/);
      if (process.platform !== 'win32') expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('that an operator may set are exactly these', () => {
    const all = services.flatMap(([, { environment }]) => Object.entries(environment));
    const taken = all.filter(([, value]) => variablesIn(value).length > 0);
    const names = taken.flatMap(([, value]) => variablesIn(value));
    expect([...new Set(names)].sort()).toEqual([
      'GRAFANA_PASSWORD',
      'LEDGER_KEEPER_PASSWORD',
      'LEDGER_OWNER_PASSWORD',
      'LEDGER_WORKER_PASSWORD',
      'PAYSESSION_ALLOW_HTTP',
      'PAYSESSION_BASE_URL',
      'PAYSESSION_CALLS_PER_SECOND',
      'PAYSESSION_CLIENT_ID',
      'PAYSESSION_CLIENT_SECRET',
      'PAYSESSION_CODEC_TOKEN',
      'PAYSESSION_CONSOLE_TIME_ZONE',
      'PAYSESSION_ENCRYPTION',
      'PAYSESSION_ENCRYPTION_KEYS',
      'PAYSESSION_LEDGER_LATE_AFTER_DAYS',
      'PAYSESSION_LEDGER_SIGNING_KEY',
      'PAYSESSION_WEBHOOK_SECRET',
      'PAYSESSION_WEBHOOK_URL',
      'POSTGRES_PASSWORD',
      'TEMPORAL_CODEC_ENDPOINT',
    ]);
    for (const [, value] of all) expect(withDefaults(value)).not.toContain('$');
  });

  test('that the worker gets by default are valid settings with the sandbox’s default client', () => {
    const { environment } = service('worker');
    const env = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, withDefaults(value)]),
    );
    const settings = readWorkerSettings(env);
    expect(settings.allowHttp).toBe(true);
    const url = `postgresql://paysession_worker:${REQUIRED_VALUE}@ledger:5432/paysession?sslmode=disable`;
    expect(settings.ledger).toMatchObject({ url, environment: 'compose' });
    expect(settings.webhooks).toBeUndefined();
    expect(settings.accounts).toEqual({
      default: {
        baseUrl: 'http://sandbox.localhost:4010',
        clientId: DEFAULT_CLIENT.clientId,
        clientSecret: DEFAULT_CLIENT.clientSecret,
      },
    });
  });
});

// The job `ledger-schema` lets the ledger’s roles write in one environment.
test('in docker-compose.yml, all services that use the ledger have the environment in which they may write', () => {
  const users = ours.filter(([, { environment }]) => 'PAYSESSION_LEDGER_URL' in environment);
  expect(users.map(([name]) => name)).toEqual(['ledger-schema', 'worker', 'keeper', 'console']);
  for (const [name, { environment }] of users)
    expect([name, environment['PAYSESSION_LEDGER_ENVIRONMENT']]).toEqual([name, 'compose']);
});

describe('a command in docker-compose.yml', () => {
  test.each(ours)('for %s exists, with its options', (_name, { command = [] }) => {
    const [name, ...rest] = command;
    const first = createProgram().commands.find((candidate) => candidate.name() === name);
    const second = first?.commands.find((candidate) => candidate.name() === rest[0]);
    const known = second ?? first;
    const options = second === undefined ? rest : rest.slice(1);
    expect(known).toBeDefined();
    if (options.length > 0) expect(options[0]).toMatch(/^--/);
    const longOptions = known?.options.map(({ long }) => long);
    expect(longOptions).toEqual(expect.arrayContaining(options.filter((option) => option.startsWith('--'))));
  });

  test('for the sandbox stores the data in a volume that belongs to the image’s user', () => {
    const { command = [], volumes } = service('sandbox');
    const folder = command[command.indexOf('--data') + 1];
    expect(volumes).toEqual([`sandbox-data:${folder}`]);
    expect(readProjectFile('Dockerfile')).toContain(`--owner node --group node ${folder}\n`);
  });

  test('for the keeper stores the checkpoints in a volume that belongs to the image’s user', () => {
    const { command = [], volumes } = service('keeper');
    const folder = command[command.indexOf('--publish') + 1];
    expect(volumes).toEqual([`checkpoints:${folder}`]);
    expect(readProjectFile('Dockerfile')).toContain(`--owner node --group node ${folder}\n`);
  });

  test('for the sandbox listens on the port that the file publishes', () => {
    const { command = [], ports } = service('sandbox');
    expect(command[command.indexOf('--port') + 1]).toBe('4010');
    expect(ports).toEqual(['127.0.0.1:4010:4010']);
  });

  test('for the sandbox allows the host name under which the worker calls the sandbox', () => {
    const { command = [] } = service('sandbox');
    const { environment } = service('worker');
    const allowed = command.filter((_part, index) => command[index - 1] === '--allow-host');
    expect(allowed).toContain(new URL(withDefaults(environment['PAYSESSION_BASE_URL'] ?? '')).hostname);
    expect(allowed).toContain('sandbox');
  });

  test('for the codec server allows the web UI’s pages, and its port is published to this machine only', () => {
    const { command = [], ports, network_mode: network } = service('codec');
    const page = service('temporal-ui').ports[0]?.split(':')[1];
    expect(command[command.indexOf('--origin') + 1]).toBe(`http://localhost:${page}`);
    expect([command.includes('--host'), network, ports]).toEqual([false, 'host', []]);
  });

  test('for the console names the web UI and the ledger, and its port is published to this machine only', () => {
    const { command = [], ports, network_mode: network, environment } = service('console');
    const page = service('temporal-ui').ports[0]?.split(':')[1];
    expect(command[command.indexOf('--ui-url') + 1]).toBe(`http://localhost:${page}`);
    expect([command.includes('--host'), network, ports]).toEqual([false, 'host', []]);
    expect(service('ledger').ports).toEqual(['127.0.0.1:5433:5432']);
    expect(environment['PAYSESSION_LEDGER_URL']).toContain('@127.0.0.1:5433/');
  });

  test('for the worker’s health check calls the port of the health endpoint', () => {
    const { environment, healthcheck } = service('worker');
    expect(healthcheck?.test.join(' ')).toContain(
      `http://127.0.0.1:${environment['PAYSESSION_HEALTH_PORT'] ?? ''}/readyz`,
    );
  });
});

describe('the ports in docker-compose.yml', () => {
  test('are published only on the loopback address, and no port is published twice', () => {
    const published = services.flatMap(([, { ports }]) => ports);
    for (const one of published) expect(one).toMatch(/^127\.0\.0\.1:/);
    expect(new Set(published.map((one) => one.split(':')[1])).size).toBe(published.length);
  });

  test.each(services)(
    'in the addresses that %s gets are open at the services that the addresses name',
    (name, { environment, healthcheck }) => {
      const texts = [...Object.values(environment).map(withDefaults), ...(healthcheck?.test ?? [])];
      for (const { host, port } of texts.flatMap(addressesIn)) {
        expect({ host, port, heard: portsOf(host, name).includes(port) }).toEqual({
          host,
          port,
          heard: true,
        });
      }
    },
  );

  test('on which the database listens are those that Temporal’s services call', () => {
    const { environment } = service('temporal');
    const { environment: schema } = service('temporal-schema');
    expect(service('postgresql').expose).toEqual([environment['DB_PORT']]);
    expect(compose.services).toHaveProperty([environment['POSTGRES_SEEDS'] ?? '']);
    expect([schema['SQL_PORT'], schema['SQL_HOST']]).toEqual([
      environment['DB_PORT'],
      environment['POSTGRES_SEEDS'],
    ]);
  });
});

describe('the start order in docker-compose.yml', () => {
  test('waits for databases over TCP, because PostgreSQL answers TCP only after its setup', () => {
    for (const name of ['postgresql', 'ledger']) {
      const { environment, healthcheck } = service(name);
      const user = environment['POSTGRES_USER'];
      expect(healthcheck?.test).toEqual(['CMD', 'pg_isready', '--username', user, '--host', '127.0.0.1']);
    }
  });

  test('waits until Temporal’s history nodes answer at the address that other services call', () => {
    const { environment, healthcheck } = service('temporal');
    expect(environment['TEMPORAL_BROADCAST_ADDRESS']).toBe('127.0.0.1');
    expect(healthcheck?.test.join(' ')).toMatch(
      /http:\/\/temporal:7243\/\S+\/workflows\/.* \| grep -q ' 404 '$/,
    );
  });

  test.each(services)(
    'makes %s wait only for conditions that the other service can meet',
    (_name, { depends_on: waits }) => {
      for (const [other, { condition }] of Object.entries(waits)) {
        const { healthcheck, restart } = service(other);
        if (condition === 'service_healthy') expect(healthcheck).toBeDefined();
        else expect(restart).toBe('no');
      }
    },
  );

  test('starts Temporal after its schema, and the worker after its namespace and the sandbox', () => {
    expect(Object.keys(service('worker').depends_on).sort()).toEqual([
      'ledger-schema',
      'sandbox',
      'temporal-namespace',
    ]);
    expect(Object.keys(service('ledger-schema').depends_on)).toEqual(['ledger']);
    expect(Object.keys(service('temporal-namespace').depends_on)).toEqual(['temporal']);
    expect(Object.keys(service('temporal').depends_on)).toEqual(['temporal-schema']);
    expect(Object.keys(service('temporal-schema').depends_on)).toEqual(['postgresql']);
  });

  test('restarts all services but the jobs, and checks their health', () => {
    for (const [name, { healthcheck, restart }] of services) {
      if (JOBS.includes(name)) continue;
      expect(healthcheck).toBeDefined();
      expect(restart).toBe('unless-stopped');
    }
  });

  test('includes encryption, the keeper, the console and monitoring only with their profiles', () => {
    const optional = services.flatMap(([name, { profiles }]) => (profiles.length > 0 ? [name] : []));
    expect(optional).toEqual(['keeper', 'codec', 'console', 'prometheus', 'grafana']);
  });
});

describe('the volumes in docker-compose.yml', () => {
  const sources = services.flatMap(([, { volumes }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));

  test('that services use are declared', () => {
    expect(sources.filter((source) => !source.startsWith('.'))).toEqual(Object.keys(compose.volumes));
  });

  test.each(sources.filter((source) => source.startsWith('.')))(
    'have an existing file or folder: %s',
    (source) => {
      expect(existsSync(join(PROJECT, source))).toBe(true);
    },
  );
});

interface NamedAddress {
  readonly host: string;
  readonly port: string;
}

function addressesIn(text: string): NamedAddress[] {
  return Array.from(text.matchAll(/([a-z][a-z0-9.-]*|[\d.]+):(\d{2,5})\b/g), ([, host = '', port = '']) => ({
    host,
    port,
  }));
}

const publishedOn = (port: string): string => port.split(':')[1] ?? '';

/** Returns the ports behind a host name, as seen from a service. */
function portsOf(host: string, from: string): string[] {
  const isSelf = host === '127.0.0.1' || host === '0.0.0.0';
  if (isSelf && service(from).network_mode === 'host')
    return [...service(from).expose, ...services.flatMap(([, { ports }]) => ports.map(publishedOn))];
  return services
    .filter(([name, { networks }]) =>
      isSelf ? name === from : name === host || networks?.default.aliases.includes(host) === true,
    )
    .flatMap(([, found]) => listeningPorts(found));
}

import { describe, expect, test } from '@jest/globals';
import { createProgram } from '../../cli/program';
import { SETTINGS } from '../../src/settings';
import { manifestErrors } from './manifest-errors';
import { KUBERNETES, rendered, renderedWith, type Manifest } from './rendered';

const base = rendered(`${KUBERNETES}/base`);
const example = rendered(`${KUBERNETES}/overlays/example`);
const mutualTls = renderedWith(['temporal-mtls']);
const withLedger = renderedWith(['ledger']);
const withKeeper = renderedWith(['ledger', 'ledger-keeper', 'temporal-mtls']);
const withWebhooks = renderedWith(['ledger', 'webhooks']);
const withHints = renderedWith(['hints']);
const ALL = {
  base,
  example,
  'base with mutual TLS': mutualTls,
  'base with the ledger': withLedger,
  'base with its keeper': withKeeper,
  'base with webhooks': withWebhooks,
  'base with hints': withHints,
};

interface Container {
  readonly args: readonly string[];
  readonly image: string;
  readonly env: readonly { name: string; value?: string }[];
  readonly ports: readonly { name: string; containerPort: number }[];
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    name: string;
    secret?: { readonly secretName: string };
    persistentVolumeClaim?: { readonly claimName: string };
  }[];
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
}

interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: PodSpec;
  };
}

interface ServiceSpec {
  readonly selector: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly targetPort: string }[];
}

function ofKind(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

function deployment(manifests: readonly Manifest[], name = 'paysession-worker'): DeploymentSpec {
  const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  return found?.['spec'] as DeploymentSpec;
}

const keeperOf = (manifests: readonly Manifest[]) => deployment(manifests, 'paysession-ledger-keeper');

/** Returns a copy of the manifest in which `by` replaces `text`. */
const changed = (manifest: Manifest, text: string, by: string): Manifest => {
  const before = JSON.stringify(manifest);
  expect(before).toContain(text);
  return JSON.parse(before.replace(text, by)) as Manifest;
};

describe('the Kubernetes manifests', () => {
  test('are valid for Kubernetes and KEDA in the base, in the example and with each component', () => {
    expect(manifestErrors(Object.values(ALL).flat())).toEqual([]);
  });

  test.each([
    ['a misspelt field', '"readinessProbe"', '"readynessProbe"', 'readynessProbe'],
    [
      'a value of the wrong type',
      '"revisionHistoryLimit":5',
      '"revisionHistoryLimit":"five"',
      'revisionHistoryLimit',
    ],
    ['a missing selector', '"selector":{', '"selectors":{', 'selector'],
    ['a kind that does not exist', '"kind":"Deployment"', '"kind":"Deploymend"', 'Deploymend'],
  ])(
    'with %s are refused with an error that names it',
    (_mistake, text, by, named) => {
      const planted = changed(ofKind(base, 'Deployment'), text, by);
      expect(manifestErrors([planted]).join('\n')).toContain(named);
    },
    60_000,
  );

  test.each(Object.entries(ALL))('of the %s contain no Secret', (_name, manifests) => {
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  });
});

describe('the worker on Kubernetes', () => {
  const { replicas, selector, template } = deployment(base);
  const { containers, enableServiceLinks, terminationGracePeriodSeconds } = template.spec;
  const [worker] = containers;

  test('has the labels that its selector selects', () => {
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
  });

  test('serves health and metrics on its declared ports, and is probed on the health port', () => {
    const settings = Object.fromEntries(worker.env.map(({ name, value }) => [name, value]));
    const health = worker.ports.find(({ name }) => name === 'health');
    expect(settings).toMatchObject({
      PAYSESSION_HEALTH_HOST: '0.0.0.0',
      PAYSESSION_HEALTH_PORT: String(health?.containerPort),
      PAYSESSION_METRICS_PORT: String(worker.ports.find(({ name }) => name === 'metrics')?.containerPort),
    });
    expect(worker.startupProbe?.httpGet).toEqual({ path: '/livez', port: 'health' });
    expect(worker.livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'health' });
    expect(worker.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'health' });
  });

  test('does not get the environment variables that Kubernetes adds for each Service', () => {
    expect(enableServiceLinks).toBe(false);
  });

  test('has at least 30 seconds to drain after preStop', () => {
    const preStopSeconds = Number(worker.lifecycle.preStop.exec.command.at(-1));
    // When a worker stops, it waits up to ten seconds for its activities. Then other workers take its sessions over.
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(preStopSeconds + 30);
  });

  test('has two replicas without an autoscaler, and at least two with one', () => {
    expect(replicas).toBe(2);
    expect(deployment(example).replicas).toBeUndefined();
    expect(ofKind(example, 'ScaledObject')).toMatchObject({ spec: { minReplicaCount: 2 } });
  });

  test.each(Object.entries(ALL))(
    'in the %s has only settings that exist, and every file in them is mounted',
    (_name, manifests) => {
      const [{ env, volumeMounts }] = deployment(manifests).template.spec.containers;
      const { data } = ofKind(manifests, 'ConfigMap') as Manifest & { readonly data: Record<string, string> };
      const known: readonly string[] = SETTINGS.map(({ name }) => name);
      expect(known).toEqual(expect.arrayContaining([...env.map(({ name }) => name), ...Object.keys(data)]));
      const paths = env.flatMap(({ value }) => (value?.startsWith('/') === true ? [value] : []));
      for (const path of paths)
        expect(volumeMounts.filter(({ mountPath }) => path.startsWith(`${mountPath}/`))).toHaveLength(1);
    },
  );
});

describe('the endpoint of hints on Kubernetes', () => {
  const { template } = deployment(withHints);
  const [worker] = template.spec.containers;

  test('can be reached through its Service, but only from the namespace of the ingress', () => {
    const port = worker.ports.find(({ name }) => name === 'hints')?.containerPort;
    expect(worker.env).toContainEqual({ name: 'PAYSESSION_HINT_PORT', value: String(port) });
    const { selector, ports } = ofKind(withHints, 'Service')['spec'] as ServiceSpec;
    expect(template.metadata.labels).toMatchObject(selector);
    expect(ports).toEqual([expect.objectContaining({ targetPort: 'hints' })]);
    const { ingress } = ofKind(withHints, 'NetworkPolicy')['spec'] as {
      readonly ingress: readonly unknown[];
    };
    expect(JSON.stringify(ingress.filter((one) => JSON.stringify(one).includes('"hints"')))).toContain(
      '"kubernetes.io/metadata.name":"ingress"',
    );
  });

  test('does not exist by default', () => {
    for (const manifests of [base, example]) expect(JSON.stringify(manifests)).not.toContain('HINT');
  });
});

describe('the ledger on Kubernetes', () => {
  const job = ofKind(example, 'Job')['spec'] as DeploymentSpec;
  const secretOf = ({ template }: DeploymentSpec) =>
    template.spec.volumes.flatMap(({ name, secret }) => (name === 'ledger' ? [secret?.secretName] : []));

  test('is migrated by a Job with the workers’ image and the owner’s Secret, while workers have a Secret of their own', () => {
    const [migrate] = job.template.spec.containers;
    const [worker] = deployment(example).template.spec.containers;
    const command = createProgram().commands.find((one) => one.name() === migrate.args[0]);
    expect(command?.commands.map((one) => one.name())).toContain(migrate.args[1]);
    expect(migrate.image).toBe(worker.image);
    expect([secretOf(job), secretOf(deployment(example))]).toEqual([['ledger-owner'], ['ledger']]);
    for (const { env, volumeMounts } of [migrate, worker]) {
      expect(env).toContainEqual({ name: 'PAYSESSION_LEDGER_URL_FILE', value: '/run/secrets/ledger/url' });
      expect(volumeMounts).toContainEqual(
        expect.objectContaining({ name: 'ledger', mountPath: '/run/secrets/ledger' }),
      );
    }
  });

  test('is open to workers in the network policy only if the ledger is configured, and the policy does not apply to the ledger’s Job', () => {
    const portsOf = (manifests: readonly Manifest[]) => JSON.stringify(ofKind(manifests, 'NetworkPolicy'));
    expect([portsOf(withLedger), portsOf(base)].map((text) => text.includes('5432'))).toEqual([true, false]);
    expect(job.template.metadata.labels).not.toMatchObject(deployment(example).selector.matchLabels);
  });

  test('has a keeper with the same access to Temporal as workers, with all its files mounted, and with a volume for its checkpoints', () => {
    const keeper = keeperOf(withKeeper);
    const [{ args, env, volumeMounts, ports }] = keeper.template.spec.containers;
    const [, option, port] = /(--metrics-port) (\d+)/.exec(args.join(' ')) ?? [];
    expect([option, Number(port)]).toEqual(['--metrics-port', ports[0]?.containerPort]);
    const { data } = ofKind(withKeeper, 'ConfigMap') as Manifest & { readonly data: Record<string, string> };
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const known: readonly string[] = SETTINGS.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining([...Object.keys(values), ...Object.keys(data)]));
    expect(values).toMatchObject({ TEMPORAL_TLS_CLIENT_CERT_PATH: '/run/secrets/temporal/tls.crt' });
    for (const path of Object.values(values).filter((value) => value?.startsWith('/')))
      expect(volumeMounts.filter(({ mountPath }) => path?.startsWith(`${mountPath}/`))).toHaveLength(1);
    expect(keeper.template.metadata.labels).toMatchObject(keeper.selector.matchLabels);
    const folder = args[args.indexOf('--publish') + 1];
    const mount = volumeMounts.find(({ mountPath }) => mountPath === folder);
    const volume = keeper.template.spec.volumes.find(({ name }) => name === mount?.name);
    const { metadata } = ofKind(withKeeper, 'PersistentVolumeClaim');
    expect(volume?.persistentVolumeClaim?.claimName).toBe(metadata.name);
    const inExample = keeperOf(example).template.spec.containers[0].env.map(({ name }) => name);
    expect(inExample).toContain('TEMPORAL_API_KEY');
  });
});

describe('webhooks on Kubernetes', () => {
  test('are sent to the endpoints in a Secret, if the component `webhooks` is used', () => {
    const fileOf = (manifests: readonly Manifest[]) => {
      const { containers, volumes } = deployment(manifests).template.spec;
      const setting = containers[0].env.find(({ name }) => name === 'PAYSESSION_WEBHOOK_FILE');
      return [setting?.value, volumes.find(({ name }) => name === 'webhooks')?.secret?.secretName];
    };
    expect(fileOf(withWebhooks)).toEqual(['/run/secrets/webhooks/endpoints.json', 'webhooks']);
    expect(fileOf(withLedger)).toEqual([undefined, undefined]);
  });
});

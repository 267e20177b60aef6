import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseConfig } from '../../src/config/parse.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const chart = 'deploy/helm/a2a-gateway';
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe.each(['postgres', 'sqlite'])('the manifests for a gateway on %s', (name) => {
  const objects = parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`)).map((each) => each.toJS());
  const of = (kind: string) => objects.find((each) => each.kind === kind);
  const pod = of('Deployment').spec.template.spec;
  const [gateway] = pod.containers;
  const env = { STORE: 'postgres://gateway:secret@db/gateway', API_KEY_HASH: `sha256:${'A'.repeat(43)}` };
  const text: string = of('ConfigMap').data['gateway.yaml'];

  it(`the manifests for a gateway on ${name} mount a configuration that the gateway takes where its command looks for it`, () => {
    const mount = gateway.volumeMounts.find(({ name }: { name: string }) => name === 'config');
    expect(gateway.args).toEqual(['serve', '--config', `${mount.mountPath}/gateway.yaml`]);
    const { listen, store, watch } = parseConfig(text, { file: '/gateway.yaml', env });
    expect(gateway.ports).toEqual([{ name: 'http', containerPort: listen.port }]);
    for (const port of of('Service').spec.ports) expect(port.targetPort).toBe('http');
    expect([store.split(':')[0], watch]).toEqual([name, true]);
    const mounts: readonly { mountPath: string }[] = gateway.volumeMounts;
    if (name === 'sqlite') expect(mounts.some(({ mountPath }) => store.startsWith(`sqlite:${mountPath}/`))).toBe(true);
  });

  it(`the manifests for a gateway on ${name} let the balancer forget a pod before it stops, and kill it after its calls have ended`, () => {
    const { shutdown } = parse(text);
    const [delay = 0, drain = 0] = [shutdown.delay, shutdown.drain].map(Number.parseFloat);
    expect(delay).toBeGreaterThanOrEqual(3);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(delay + drain);
  });

  it(`the manifests for a gateway on ${name} keep pods in the Service while the database is away for a moment, and wait for its answer`, () => {
    const { readinessProbe, livenessProbe } = gateway;
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/readyz?tolerate=30s', '/healthz']);
    // The gateway gives the database five seconds.
    expect(readinessProbe.timeoutSeconds).toBeGreaterThan(5);
    expect(readinessProbe.failureThreshold).toBeGreaterThan(1);
  });

  it(`the manifests for a gateway on ${name} give the container no rights`, () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(gateway.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  it(`the manifests for a gateway on ${name} name each variable of the configuration where they say how the Secret is made`, () => {
    const wanted = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, variable]) => variable);
    expect(wanted.length).toBeGreaterThan(0);
    for (const variable of wanted) expect(read(`${chart}/examples/${name}.yaml`)).toContain(`${variable}=`);
  });
});

it('the Helm chart has the version of the gateway', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(parse(read(`${chart}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
});

it('the Helm chart knows the values that it has defaults for, and refuses all others', () => {
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly additionalProperties?: unknown;
  }
  const keysOf = (schema: Schema, value: object, path: string): void => {
    expect([path, schema.additionalProperties]).toEqual([path, false]);
    const known = Object.keys(schema.properties ?? {}).filter((key) => key !== 'global');
    expect([path, Object.keys(value)]).toEqual([path, known]);
    for (const [key, below] of Object.entries(value)) {
      const next = schema.properties?.[key] ?? {};
      // Others than these are the user's own, such as labels and the configuration.
      if (next.additionalProperties === false && key !== 'resources') keysOf(next, below, `${path}.${key}`);
    }
  };
  keysOf(JSON.parse(read(`${chart}/values.schema.json`)), parse(read(`${chart}/values.yaml`)), 'values');
});

it('the Helm chart routes each gRPC service of the gateway', () => {
  const routed = [...read(`${chart}/templates/routes.yaml`).matchAll(/"([\w.]+\.[A-Z]\w+)"/g)].map(([, name]) => name);
  const protos = readdirSync(join(root, 'proto'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.proto'))
    .map((path) => read(join('proto', path)));
  const served = protos.flatMap((text) => {
    const [, scope] = /^package ([\w.]+);/m.exec(text) ?? [];
    return [...text.matchAll(/^service (\w+)/gm)].map(([, service]) => `${scope}.${service}`);
  });
  expect(routed.toSorted()).toEqual([...new Set(served)].toSorted());
});

it('the Helm chart has no agents among its default values, which Helm would merge into those of its user', () => {
  expect(Object.keys(parse(read(`${chart}/values.yaml`)).config)).toEqual(['retention', 'auth']);
});

it('the Helm chart scales by metrics that the gateway has', () => {
  const metrics = read('docs/reference/metrics.md');
  const names = read(`${chart}/templates/autoscaler.yaml`).match(/a2a_gateway_\w+/g) ?? [];
  expect(names.length).toBe(2);
  for (const name of names) expect(metrics).toContain(`| \`${name}\` | gauge |`);
});

/** The program `helm`: `HELM` of the environment, or the one in PATH. */
const helm = process.env.HELM ?? 'helm';
const hasHelm = spawnSync(helm, ['version']).status === 0;

describe.skipIf(!hasHelm)('rendered by Helm (needs helm, as HELM or in PATH), the chart', () => {
  const render = (...args: string[]): string =>
    execFileSync(helm, ['template', 'a2a-gateway', chart, '--kube-version', '1.33.0', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const own = ['-f', `${chart}/examples/postgres.yaml`];
  const rendered = (...args: string[]) => {
    const objects = parseAllDocuments(render(...own, ...args)).map((each) => each.toJS());
    const of = (kind: string) => objects.find((each) => each?.kind === kind);
    const pod = of('Deployment').spec.template.spec;
    const config = parse(of('ConfigMap').data['gateway.yaml']);
    return { of, pod, gateway: pod.containers[0], config };
  };
  const examples = readdirSync(join(root, chart, 'examples'));

  it.each(examples)(
    'rendered by Helm (needs helm, as HELM or in PATH), the chart is accepted by the linter with the values of %s',
    (example) => {
      const { status, stdout } = spawnSync(helm, ['lint', '--strict', chart, '-f', `${chart}/examples/${example}`], {
        cwd: root,
        encoding: 'utf8',
      });
      expect([status, stdout.match(/\[(WARNING|ERROR)\].*/g)]).toEqual([0, null]);
    },
  );

  it.each(['postgres', 'sqlite'])(
    'rendered by Helm (needs helm, as HELM or in PATH), the chart makes the manifests for %s',
    (name) => {
      // Helm 4 leaves an empty line between documents, and Helm 3 none.
      const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
      const made = render('-f', `${chart}/examples/${name}.yaml`);
      expect(lines(made)).toEqual(lines(read(`deploy/kubernetes/${name}.yaml`)));
    },
  );

  it('rendered by Helm (needs helm, as HELM or in PATH), the chart has an agent for trials only until its user names agents', () => {
    expect(Object.keys(rendered().config.agents)).toEqual(['demo']);
    const { config } = rendered('--set', 'config.agents.mine.url=https://mine.example.com');
    expect(Object.keys(config.agents)).toEqual(['mine']);
    expect(rendered('--set-json', 'config.agents={}').config.agents).toEqual({});
  });

  it('the chart mounts volumes of its user', () => {
    const volume = { name: 'agents', configMap: { name: 'agents' } };
    const mount = { name: 'agents', mountPath: '/etc/a2a-gateway/agents.d' };
    const { pod, gateway } = rendered(
      '--set-json',
      `volumes=${JSON.stringify([volume])}`,
      '--set-json',
      `volumeMounts=${JSON.stringify([mount])}`,
    );
    expect(pod.volumes).toContainEqual(volume);
    expect(gateway.volumeMounts).toContainEqual(mount);
  });

  it('rendered by Helm (needs helm, as HELM or in PATH), the chart serves TLS from a Secret, and probes and announces it', () => {
    const { of, gateway, config, pod } = rendered(
      '--set',
      'tls.secret=certificate,metrics.serviceMonitor.enabled=true',
    );
    const { mountPath } = gateway.volumeMounts.find(({ name }: { name: string }) => name === 'tls');
    expect(config.listen.tls).toEqual({ cert: `${mountPath}/tls.crt`, key: `${mountPath}/tls.key` });
    expect(pod.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'certificate' } });
    for (const probe of [gateway.readinessProbe, gateway.livenessProbe]) expect(probe.httpGet.scheme).toBe('HTTPS');
    for (const { appProtocol } of of('Service').spec.ports) expect(appProtocol).toBe('https');
    expect(of('ServiceMonitor').spec.endpoints[0].scheme).toBe('https');
  });

  it('rendered by Helm (needs helm, as HELM or in PATH), the chart leaves users and groups to a cluster that chooses them, such as OpenShift', () => {
    const unset = { runAsUser: null, runAsGroup: null, fsGroup: null };
    const { pod } = rendered('--set-json', `podSecurityContext=${JSON.stringify(unset)}`);
    expect(pod.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  it.each([
    ['a misspelt value', ['--set', 'replcas=3'], /replcas/],
    ['two replicas on SQLite', ['-f', `${chart}/examples/sqlite.yaml`, '--set', 'replicas=2'], /for one replica/],
    ['no store', ['--set', 'publicUrl=https://a.example.com'], /store\.postgres\.secret/],
    ['no address', ['--set', 'store.postgres.secret=a'], /publicUrl/],
    [
      'more gateways at least than at most',
      [...own, '--set', 'autoscaling.enabled=true,autoscaling.min=11'],
      /autoscaling\.min/,
    ],
    ['a delay shorter than the probe', ['--set', 'shutdown.delay=1'], /shutdown[./]delay/],
    ['what the chart sets itself', ['--set', 'config.store=memory:'], /config/],
  ])('rendered by Helm (needs helm, as HELM or in PATH), the chart refuses %s', (_, args, said) => {
    expect(() => render(...args)).toThrow(said);
  });
});

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { printed, startCli } from '../support/cli.ts';
import { paced } from '../support/pace.ts';
import { freePort } from '../support/peer.ts';
import { startHaproxy } from './haproxy.ts';

const manifest = fileURLToPath(new URL('../../deploy/kubernetes/postgres.yaml', import.meta.url));

interface Pod {
  readonly child: ChildProcess;
  readonly port: number;
  ready: boolean;
  readonly stopProbing: () => void;
}

/**
 * Runs the Deployment of `deploy/kubernetes/postgres.yaml` with processes of this machine: its command, its environment, its
 * probes at their periods, its times, its ConfigMap as the kubelet mounts it, and its Service, which balances connections over
 * the pods that are ready. Where the machine has HAProxy, that is another entrance, whose address the cards have.
 *
 * @param folder for the mounted files
 * @param secret the keys of the Secret that the manifests name
 */
export async function openCluster(folder: string, secret: Readonly<Record<string, string>>) {
  const objects = parseAllDocuments(readFileSync(manifest, 'utf8')).map((each) => each.toJS());
  const of = (kind: string) => objects.find((each) => each.kind === kind);
  const { spec } = of('Deployment').spec.template;
  const [container] = spec.containers;
  const port = await freePort();
  const service = `http://127.0.0.1:${port}`;
  const ports = await Promise.all(Array.from({ length: 7 }, freePort));
  const entrance = await freePort();
  const closeHaproxy = await startHaproxy(folder, entrance, ports);
  const url = closeHaproxy ? `http://127.0.0.1:${entrance}` : service;
  // Values that a user sets: the address, and a limit that this load does not reach.
  const config = String(of('ConfigMap').data['gateway.yaml'])
    .replace('https://agents.example.com', url)
    .replace('\nlisten:', '\nlimits: { requestsPerMinute: 100000 }\nlisten:');
  const env: Record<string, string> = { ...secret };
  for (const { name, valueFrom } of container.env) env[name] = secret[valueFrom.secretKeyRef.key] ?? '';
  const mounted = join(folder, 'config');
  const args = container.args.map((each: string) => each.replace('/etc/a2a-gateway', mounted));

  let generation = 0;
  /** Replaces all files at once: a new folder, to which the link `..data` leads from then on. */
  const mount = (text: string): void => {
    generation += 1;
    const next = `..${generation}`;
    mkdirSync(join(mounted, next), { recursive: true });
    writeFileSync(join(mounted, next, 'gateway.yaml'), text);
    symlinkSync(next, join(mounted, '..data_tmp'));
    renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
    if (generation === 1) symlinkSync('..data/gateway.yaml', join(mounted, 'gateway.yaml'));
    else rmSync(join(mounted, `..${generation - 1}`), { recursive: true });
  };
  mount(config);

  const pods = new Set<Pod>();
  let turn = 0;
  const balancer = createServer({ allowHalfOpen: true }, (client) => {
    const ready = [...pods].filter((pod) => pod.ready);
    const pod = ready[turn++ % ready.length];
    if (!pod) return void client.destroy();
    const upstream = connect({ port: pod.port, host: '127.0.0.1', allowHalfOpen: true });
    client.pipe(upstream).pipe(client);
    for (const [end, other] of [[client, upstream] as const, [upstream, client] as const])
      end.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  balancer.listen(port, '127.0.0.1');
  await once(balancer, 'listening');

  const probe = (port: number, set: (ready: boolean) => void): (() => void) => {
    const { httpGet, periodSeconds, failureThreshold } = container.readinessProbe;
    let failures = 0;
    const timer = setInterval(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${httpGet.path}`, {
        signal: AbortSignal.timeout(paced(1_000)),
      }).catch(() => undefined);
      failures = answer?.ok ? 0 : failures + 1;
      if (answer?.ok) set(true);
      else if (failures >= failureThreshold) set(false);
    }, periodSeconds * 1_000);
    return () => clearInterval(timer);
  };

  /** Starts a pod, and resolves when it is ready. */
  const start = async (): Promise<Pod> => {
    const port = ports.shift();
    if (port === undefined) throw new Error('HAProxy knows no further pod');
    const child = startCli([...args, '--host', '127.0.0.1', '--port', String(port)], {
      env,
      cwd: folder,
      lasting: true,
    });
    await printed(child, /Ctrl-C/);
    const { promise, resolve } = Promise.withResolvers<void>();
    const pod: Pod = {
      child,
      port,
      ready: false,
      stopProbing: probe(port, (ready) => {
        pod.ready = ready;
        if (ready) resolve();
      }),
    };
    pods.add(pod);
    child.once('exit', () => {
      pod.ready = false;
      pod.stopProbing();
      pods.delete(pod);
    });
    await promise;
    return pod;
  };
  /** Ends a pod, and resolves with whether it ended by itself within its time. Its probe takes it out of the Service. */
  const stop = async ({ child }: Pod): Promise<boolean> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), spec.terminationGracePeriodSeconds * 1_000);
    const [code] = await ended;
    clearTimeout(timer);
    return code === 0;
  };

  return {
    /** In the cards. */
    url,
    /** All ways in. */
    urls: [...new Set([service, url])],
    config,
    pods,
    mount,
    start,
    stop,
    async close(): Promise<void> {
      for (const { child } of pods) child.kill('SIGKILL');
      balancer.close();
      await closeHaproxy?.();
    },
  };
}

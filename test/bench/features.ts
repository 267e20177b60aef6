import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { newKey } from '../../src/auth/hash.ts';
import { loadHttp, type Requests } from './load/http.ts';
import { type Measured, ratio, rounded, type Settings } from './part.ts';
import { tenPolicies } from './policies.ts';
import { connections, params10, rpc, version10, words } from './requests.ts';
import { measureInTurns, type Sample } from './rounds.ts';
import { ServerProcess } from './server-process.ts';

const message = (headers: Record<string, string> = {}): Buffer =>
  rpc('/', 'SendMessage', params10(`say ${words}`), { ...version10, ...headers });

/** Requests of which each has a key of its own. */
function keyed(): () => Buffer {
  let last = 0;
  return () => {
    last += 1;
    return message({ 'Idempotency-Key': `key-${last}` });
  };
}

interface Feature {
  readonly config: object;
  readonly requests: Requests;
}

/** @param elsewhere URL that takes traces, and allows everything as a judge */
function featuresOf(elsewhere: string): Readonly<Record<string, Feature>> {
  const { key, hash } = newKey();
  const auth = { apiKeys: [{ name: 'bench', hash }] };
  const guard = { name: 'bench', on: ['request', 'answer'] };
  const module = fileURLToPath(new URL('servers/allowing-judge.ts', import.meta.url));
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  return {
    'gateway, no feature': { config: {}, requests: message() },
    'gateway, API key': { config: { auth }, requests: message({ 'X-Api-Key': key }) },
    'gateway, request limits': { config: { limits: { requestsPerMinute: 1_000_000_000 } }, requests: message() },
    'gateway, ten policies': { config: { policies: tenPolicies }, requests: message() },
    'gateway, a guard in a module': { config: { guards: [{ ...guard, module }] }, requests: message() },
    'gateway, a guard outside': { config: { guards: [{ ...guard, url: elsewhere }] }, requests: message() },
    'gateway, traces of 1 in 10': {
      config: { tracing: { endpoint: elsewhere, sampleRatio: 0.1 } },
      requests: message(),
    },
    'gateway, traces of all': {
      config: { tracing: { endpoint: elsewhere, sampleRatio: 1 } },
      requests: message({ traceparent: trace }),
    },
    // What the default costs: failed calls and numbers of minutes in the store.
    'gateway, calls: false': { config: { calls: false }, requests: message() },
    'gateway, Idempotency-Key': { config: {}, requests: keyed() },
  };
}

/** Costs of features that are off by default: CPU of a direct message over JSON-RPC, relative to a message without them. */
export async function measureFeatures(settings: Settings): Promise<Measured> {
  const receiver = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end('{"action":"allow"}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const features = featuresOf(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}`);
  const names = Object.keys(features);
  const running: ServerProcess[] = [];
  try {
    const loads = new Map<string, (duration: number) => Promise<Sample>>();
    for (const [name, { config, requests }] of Object.entries(features)) {
      const server = await ServerProcess.start('gateway', JSON.stringify(config));
      running.push(server);
      loads.set(name, async (duration) => {
        const before = await server.usage();
        const load = await loadHttp(server.http, requests, { connections, duration, expect: 'ROLE_AGENT' });
        return { cpu: ((await server.usage()).cpu - before.cpu) / load.requests };
      });
    }
    const of = await measureInTurns(loads, settings, 'cpu');
    const cpu = (name: string): number => of(name).cpu ?? Number.NaN;
    const [none = ''] = names;
    return {
      figures: names.map((server) => ({ scenario: 'features', server, 'CPU µs': rounded(cpu(server)) })),
      ratios: names.slice(1).map((name) => ratio(`${name}: CPU of a message over one without`, cpu(name) / cpu(none))),
    };
  } finally {
    for (const server of running) await server.stop();
    receiver.close();
    receiver.closeAllConnections();
  }
}

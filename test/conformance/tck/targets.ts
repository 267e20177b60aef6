import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { hashOf, shownHash } from '../../../src/auth/hash.ts';
import { openGateway } from '../../support/gateway.ts';
import { listenOn } from '../../support/peer.ts';
import { sdkAgents } from '../../support/sdk-agents.ts';
import { modules, scripts } from './agents.ts';
import type { Kit } from './kit.ts';

/** A gateway that a kit is run against. */
export interface Target {
  readonly kit: Kit['generation'];
  /** The name in the page of conformance. */
  readonly title: string;
  /** Arguments of pytest, besides the address. */
  readonly args: readonly string[];
  /** Starts the gateway. */
  open(): Promise<Opened>;
}

interface Opened {
  /** Arguments of pytest with the address. */
  readonly args: readonly string[];
  close(): Promise<void>;
}

/** Agents by the names that the configuration has them by, and the end of their servers. */
interface Agents {
  readonly agents: Readonly<Record<string, object>>;
  close?(): Promise<void>;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const moduleAgent = (path: string) => async (): Promise<Agents> => ({ agents: { tck: { kind: 'module', path } } });

/** An agent behind a server of an official SDK. */
const sdkAgent = (kit: Kit['generation'], name: string) => async (): Promise<Agents> => {
  const start = sdkAgents[name];
  if (start === undefined) throw new Error(`no such agent: ${name}`);
  const { url, close } = await start(scripts[kit]);
  return { agents: { tck: { kind: 'upstream', url } }, close };
};

/** Opens a gateway whose default agent is the one called `tck`. */
async function openWith({ agents, close: closeAgents }: Agents, more: object = {}) {
  const listen = { host: '127.0.0.1', port: 0 };
  const settings = { listen, store: 'memory:', defaultAgent: 'tck', agents, ...more };
  const gateway = await openGateway(JSON.stringify(settings));
  return {
    origin: gateway.origin,
    async close() {
      await gateway.close();
      await closeAgents?.();
    },
  };
}

/** The kit of 1.0 takes all bindings from the card, whose address is the one of 1.0 alone. */
const target10 = (title: string, start: () => Promise<Agents>, args: readonly string[] = []): Target => ({
  kit: '1.0',
  title,
  args: ['tests/compatibility', ...args],
  async open() {
    const { origin, close } = await openWith(await start());
    return { args: [`--sut-host=${origin}/as/a2a-1.0`], close };
  },
});

/** The transports of the kit of 0.3, which tries one in a run, with the folders of tests that apply to each. */
const transports = {
  jsonrpc: 'JSON-RPC',
  grpc: 'gRPC',
  rest: 'HTTP+JSON',
} as const;

type Transport = keyof typeof transports;

const target03 = (transport: Transport, agent: string, start: () => Promise<Agents>): Target => ({
  kit: '0.3',
  title: `${transports[transport]}, ${agent}`,
  args: [
    ...(transport === 'jsonrpc' ? ['tests/mandatory'] : foldersWithoutJsonRpc),
    'tests/optional',
    '--test-scope=all',
    `--transports=${transport}`,
  ],
  async open() {
    const { origin, close } = await openWith(await start());
    const front = transport === 'grpc' ? await startCardFront(origin) : undefined;
    return {
      args: [`--sut-url=${front?.origin ?? origin}`],
      async close() {
        await front?.close();
        await close();
      },
    };
  },
});

/** The tests of callers without credentials, of which the kit has none, where the gateway wants some. */
const targetWithAuth = (transport: Transport): Target => ({
  kit: '0.3',
  title: `${transports[transport]}, a gateway that wants credentials`,
  args: [
    'tests/mandatory/authentication',
    'tests/mandatory/security',
    'tests/optional/capabilities/test_authentication.py',
    'tests/mandatory/protocol/test_a2a_v030_new_methods.py::TestAuthenticatedExtendedCard',
    '--test-scope=all',
    `--transports=${transport}`,
  ],
  async open() {
    const auth = { anonymous: false, apiKeys: [{ name: 'kit', hash: shownHash(hashOf('key of the kit')) }] };
    const { origin, close } = await openWith(await moduleAgent(pathOf('agent-0.3-extended.ts'))(), { auth });
    return { args: [`--sut-url=${origin}`], close };
  },
});

const foldersWithoutJsonRpc = ['authentication', 'protocol', 'security', 'transport'].map(
  (name) => `tests/mandatory/${name}`,
);

/**
 * A server that passes GET requests on, and writes the gRPC addresses in the card as URLs. The kit takes the host of such a URL, and
 * calls `None:80` where there is `host:port`, as clients of gRPC read it.
 */
async function startCardFront(origin: string) {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url ?? '/', origin), { headers: { accept: 'application/json' } });
    const text = await answer.text();
    const body = text.replaceAll(`"${new URL(origin).host}"`, `"${origin}"`);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(body);
  });
  return listenOn(server);
}

const own = "the gateway's own agent";

/** The kits' targets, by the short names that begin the names of cases in the lists of known failures. */
export const targets: Readonly<Record<string, Target>> = {
  own: target10(own, moduleAgent(modules['1.0'])),
  frugal: target10(
    'an agent without streaming and webhooks',
    moduleAgent(pathOf('../../support/agents/frugal-agent.ts')),
    ['-k', 'not_supported or unsupported or not_declared'],
  ),
  demanding: target10(
    'an agent that requires an extension',
    moduleAgent(pathOf('../../support/agents/demanding-agent.ts')),
    ['-k', 'required_extension'],
  ),
  'sdk10-jsonrpc': target10('a 1.0 agent over JSON-RPC', sdkAgent('1.0', 'sdk10-jsonrpc')),
  'sdk10-grpc': target10('a 1.0 agent over gRPC', sdkAgent('1.0', 'sdk10-grpc')),
  'sdk03-jsonrpc': target10('a 0.3 agent over JSON-RPC', sdkAgent('1.0', 'sdk03-jsonrpc')),
  'sdk03-grpc': target10('a 0.3 agent over gRPC', sdkAgent('1.0', 'sdk03-grpc')),
  'sdk03-rest': target10('a 0.3 agent over HTTP+JSON', sdkAgent('1.0', 'sdk03-rest')),
  'sdk02-jsonrpc': target10('a 0.2 agent over JSON-RPC', sdkAgent('1.0', 'sdk02-jsonrpc')),
  'jsonrpc/own': target03('jsonrpc', own, moduleAgent(modules['0.3'])),
  'grpc/own': target03('grpc', own, moduleAgent(modules['0.3'])),
  'rest/own': target03('rest', own, moduleAgent(modules['0.3'])),
  'jsonrpc/auth': targetWithAuth('jsonrpc'),
  'rest/auth': targetWithAuth('rest'),
  'jsonrpc/sdk10': target03('jsonrpc', 'a 1.0 agent over JSON-RPC', sdkAgent('0.3', 'sdk10-jsonrpc')),
  'grpc/sdk10': target03('grpc', 'a 1.0 agent over gRPC', sdkAgent('0.3', 'sdk10-grpc')),
  'rest/sdk10': target03('rest', 'a 1.0 agent over HTTP+JSON', sdkAgent('0.3', 'sdk10-rest')),
};

import { createReferenceAgent } from '../../src/agents/reference.ts';
import { defaultConfig } from '../../src/config/index.ts';
import type { Config } from '../../src/config/types.ts';
import type { Authenticate } from '../../src/core/limits/admission.ts';
import { MemoryBudget } from '../../src/core/limits/memory-budget.ts';
import type { Call, Reply } from '../../src/core/model/call.ts';
import { Meters } from '../../src/core/telemetry/meters.ts';
import type { Dialects } from '../../src/dialects/kernel/detect.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { createAccess } from '../../src/gateway/access/access.ts';
import type { Gateway } from '../../src/gateway/compose/gateway.ts';
import { createListener } from '../../src/gateway/http/listener.ts';
import { GatewayHttpServer } from '../../src/gateway/http/server.ts';
import { ActiveConfig } from '../../src/gateway/reload/active-config.ts';
import { ConfiguredParts } from '../../src/gateway/reload/parts.ts';
import type { Api } from '../../src/gen/api.ts';
import { type Mountable, mountKey } from '../../src/transports/rpc/mount.ts';
import { rpcsByPath } from '../../src/transports/rpc/rpc.ts';
import { directory, openStore, silent } from './core.ts';
import { endAfterTest } from './peer.ts';

/** A gateway's bindings over an api that no code was written for. */
export interface ServedApi {
  readonly port: number;
  /** The calls so far. */
  readonly calls: readonly Call[];
  /** Replacement of a gateway for servers of other libraries. */
  readonly mountable: Mountable;
  readonly fetch: Gateway['fetch'];
  close(): Promise<void>;
}

/** Overrides of the defaults that every test serves. */
export interface ServedOptions {
  readonly listen?: Partial<Config['listen']>;
  readonly limits?: Partial<Config['limits']>;
  /** In place of the gateway's own authentication. */
  readonly admit?: Authenticate;
}

/**
 * Serves every binding of generated code, such as that of a changed proto.
 *
 * @param api of the newest version of A2A 1.x
 * @param answer stands for the core service
 * @param limits in place of the defaults
 */
export const serveApi = (
  api: Api,
  answer: (call: Call) => object | Promise<object>,
  limits: Partial<Config['limits']> = {},
): Promise<ServedApi> => serveDialects(createDialects({ api }), answer, { limits });

/**
 * Serves the bindings of dialects and extensions.
 *
 * @param answer stands for the core service
 */
export async function serveDialects(
  dialects: Dialects,
  answer: (call: Call) => object | Promise<object>,
  { listen, limits, admit }: ServedOptions = {},
): Promise<ServedApi> {
  const calls: Call[] = [];
  const defaults = defaultConfig({ port: 0, store: 'memory:' });
  const config = {
    ...defaults,
    listen: { ...defaults.listen, ...listen },
    limits: { ...defaults.limits, ...limits },
  };
  const store = await openStore();
  const audit = () => {};
  const agents = { directory: directory({ demo: createReferenceAgent() }), configured: new Map() };
  const operations = dialects.protocols.flatMap(({ grpc }) => grpc?.api.operations ?? []);
  const access = await createAccess({
    config,
    services: [{ scope: 'tasks', operations }],
    store,
    audit,
    logger: silent,
    agents: agents.directory,
    adminKeys: { keyFor: () => undefined },
  });
  const listener = createListener({ config, meters: new Meters(), audit, budget: new MemoryBudget() });
  const served = { ...access, ...(admit && { admit }) };
  const current = new ActiveConfig({
    config,
    base: config,
    agents,
    access: served,
    parts: new ConfiguredParts(),
  });
  const publicUrl = () => undefined;
  const httpServer = new GatewayHttpServer({
    active: current,
    state: { url: '' },
    listener,
    dialects,
    invoke: async (call) => {
      calls.push(call);
      return (await answer(call)) as Reply;
    },
    dialectOf: async () => undefined,
    card: () => ({}),
    store,
    logger: silent,
    publicUrl,
    files: { seal: () => '', open: async () => undefined },
    meters: new Meters(),
    keySet: undefined,
    readMetrics: async () => ({ mediaType: '', text: '' }),
    added: () => [],
  });
  return {
    port: await listener.port.listen(),
    calls,
    mountable: {
      [mountKey]: {
        rpcs: rpcsByPath(dialects.protocols),
        server: () => httpServer.rpcs,
        invoke: async () => ({}) as never,
      },
    },
    fetch: httpServer.fetch,
    close: endAfterTest(async () => {
      await httpServer.close(100);
      await store.close();
    }),
  };
}

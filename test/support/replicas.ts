import { type BindingName, type Client, connect, type DialectName } from '../../src/client/index.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { StreamResponse } from '../../src/core/model/a2a.ts';
import type { Agent } from '../../src/core/model/agent.ts';
import type { LoggedEvent } from '../../src/core/model/call.ts';
import type { Store } from '../../src/core/ports/store.ts';
import { createGateway, type Gateway } from '../../src/gateway/compose/gateway.ts';
import { createStore } from '../../src/stores/index.ts';
import { silent } from './core.ts';
import { adminKeysOf } from './gateway.ts';
import { endAfterTest } from './peer.ts';

/** A generation and a binding by which a gateway is called. */
export interface ClientProtocol {
  readonly via: BindingName;
  readonly as: DialectName;
}

/** One of several gateways on a database. */
export interface Replica {
  readonly name: string;
  readonly url: string;
  readonly gateway: Gateway;
  readonly store: Store;
  client(protocol?: ClientProtocol, agent?: string): Promise<Client>;
  close(): Promise<void>;
}

export interface ReplicaOptions {
  readonly agents?: Readonly<Record<string, Agent>>;
  /** YAML besides the listener and the store. */
  readonly config?: string;
}

const v1: ClientProtocol = { via: 'jsonrpc', as: 'a2a-1.0' };

/** A whole gateway that listens on a port of its own, until the test is over. Its first agent, unless there are others, is the reference agent. */
export async function startReplica(url: string, name: string, options: ReplicaOptions = {}): Promise<Replica> {
  const store = createStore(url, { instance: name, logger: silent });
  const yaml = `listen: { port: 0 }\n${options.config ?? 'agents:\n  demo: { kind: reference }\n'}`;
  const config = parseConfig(yaml, { file: '/replica.yaml' });
  const keys = adminKeysOf();
  const { onAdminKey } = keys;
  const created = createGateway(config, { logger: silent, store, agents: options.agents ?? {}, onAdminKey });
  const listening = await created.listen();
  const gateway = { ...created, close: endAfterTest(created.close, { drainMs: 0 }) };
  keys.listensAt(listening.url);
  const clients: Client[] = [];
  const close = endAfterTest(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await gateway.close({ drainMs: 0 });
  });
  return {
    name,
    url: listening.url,
    gateway,
    store,
    async client(protocol = v1, agent = '') {
      const client = await connect(`${listening.url}${agent && `/${agent}`}/as/${protocol.as}`, protocol);
      clients.push(client);
      return client;
    },
    close,
  };
}

/** Positions and kinds of events; and the texts of what they append. */
export interface Seen {
  readonly seqs: number[];
  readonly texts: string[];
  readonly states: string[];
}

/** Returns the remaining events of a stream, in short form. */
export async function see(events: AsyncIterable<LoggedEvent>, enough: (seen: Seen) => boolean = () => false) {
  const seen: Seen = { seqs: [], texts: [], states: [] };
  for await (const { seq, event } of events) {
    seen.seqs.push(seq);
    note(event, seen);
    if (enough(seen)) break;
  }
  return seen;
}

function note({ artifactUpdate, statusUpdate, task }: StreamResponse, { texts, states }: Seen): void {
  for (const part of artifactUpdate?.artifact.parts ?? []) texts.push(part.text ?? '');
  const state = statusUpdate?.status.state ?? task?.status.state;
  if (state) states.push(state.replace('TASK_STATE_', ''));
}

/** The numbers from one to another. */
export const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

import { createRequire } from 'node:module';
import type { Server, Socket } from 'node:net';
import type { Random } from '../../support/random.ts';
import { currentHost, type Host } from './hosts.ts';
import { retransmission, systemError, VirtualSocket } from './socket.ts';
import type { World } from './world.ts';

const require = createRequire(import.meta.url);

/** Transport of bytes between two hosts. */
export interface Link {
  /** Milliseconds that bytes take, at least and at most. */
  latency: readonly [least: number, most: number];
  /** `refused`: no server listens. `silent`: nothing arrives, without an error at either end. */
  state: 'open' | 'refused' | 'silent';
  /** Name of the host whose bytes do not arrive, while those of the other do. */
  lostFrom?: string | undefined;
  /** Breaks connections in the middle of what is written. */
  chop?: Chop | undefined;
}

/** Breaks of connections in the middle of a write. */
export interface Chop {
  /** Probability for each write. */
  readonly share: number;
  /** Milliseconds for which a connection must have been idle before the write. */
  readonly idle: number;
  readonly random: Random;
  /** Called when one breaks. */
  readonly onBreak: () => void;
}

interface Listening {
  readonly server: Server;
  readonly host: Host;
  readonly port: number;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** The network of a simulation: hosts with addresses, servers that listen, connections between them. */
export class Network {
  readonly #world: World;
  readonly #hosts = new Map<string, Host>();
  /** By address and port. */
  readonly #listening = new Map<string, Listening>();
  readonly #links = new Map<string, Link>();
  readonly #sockets = new Set<VirtualSocket>();
  /** Open connections that each server has accepted. */
  readonly #accepted = new Map<Server, Set<VirtualSocket>>();
  readonly #ending = new Map<Server, () => void>();
  /**
   * Callbacks for bytes that have arrived on a connection between two hosts where it was accepted, by the hosts' names.
   */
  readonly #onArrival = new Map<string, (connection: VirtualSocket) => void>();
  /** Callbacks for an answer that is written on such a connection. */
  readonly #onAnswer = new Map<string, (connection: VirtualSocket) => void>();
  #nextPort = 40_000;

  constructor(world: World) {
    this.#world = world;
  }

  /** Adds a host, under its name and its address. Its connections break when it dies. */
  add(host: Host): void {
    this.#hosts.set(host.name, host);
    this.#hosts.set(host.address, host);
    host.onDeath(() => this.#forget(host));
  }

  /** The address of a name. */
  resolve(name: string): string | undefined {
    return this.#hosts.get(name)?.address;
  }

  /** The link between two hosts, for both directions. */
  link(one: Host, other: Host): Link {
    const key = [one.name, other.name].sort().join(' ');
    const link = this.#links.get(key) ?? { latency: [0.1, 2] as const, state: 'open' as const };
    this.#links.set(key, link);
    return link;
  }

  /** Open connections of a host, in the order in which they were opened. */
  connectionsOf(host: Host): VirtualSocket[] {
    return [...this.#sockets].filter((socket) => socket.host === host);
  }

  /**
   * Calls a listener whenever bytes have arrived on a connection that one host has opened to another.
   *
   * @returns what ends that
   */
  onArrival(from: Host, to: Host, listener: (connection: VirtualSocket) => void): () => void {
    const key = `${from.name} ${to.name}`;
    this.#onArrival.set(key, listener);
    return () => {
      if (this.#onArrival.get(key) === listener) this.#onArrival.delete(key);
    };
  }

  /**
   * Calls a listener whenever one host is about to write on a connection that another has opened to it: nothing of what it writes
   * has been sent.
   *
   * @returns what ends that
   */
  onAnswer(from: Host, to: Host, listener: (connection: VirtualSocket) => void): () => void {
    const key = `${from.name} ${to.name}`;
    this.#onAnswer.set(key, listener);
    return () => {
      if (this.#onAnswer.get(key) === listener) this.#onAnswer.delete(key);
    };
  }

  /** Closes every connection without a word: Node keeps what an open one belongs to, and with it all of a simulation. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  listen(server: Server, host: Host, wanted: number): number {
    const port = wanted === 0 ? this.#freePort() : wanted;
    const key = `${host.address}:${port}`;
    if (this.#listening.has(key)) throw systemError('EADDRINUSE', 'listen');
    this.#listening.set(key, { server, host, port });
    return port;
  }

  /** @param ended called when every connection of the server is closed */
  stopListening(server: Server, ended: () => void): void {
    for (const [key, listening] of this.#listening) if (listening.server === server) this.#listening.delete(key);
    if (!this.#accepted.has(server)) ended();
    else this.#ending.set(server, ended);
  }

  connect(target: Target): VirtualSocket {
    const from = currentHost();
    if (!from) throw new Error(`no host connects to ${target.host}:${target.port}`);
    const address = this.resolve(target.host) ?? (isLoopback(target.host) ? from.address : target.host);
    const to = this.#hosts.get(address);
    const link = to && this.link(from, to);
    const latency = () => link && this.#latency(link, from);
    const local = { address: from.address, port: this.#freePort() };
    const socket = new VirtualSocket(this.#world, from, local, { latency, connecting: true });
    socket.remoteAddress = address;
    socket.remotePort = target.port;
    if (link) socket.chopAt = this.#choppedOn(link);
    this.#track(socket);
    const refuse = (): void => {
      this.#world.deliver(from, latency() ?? 1, () => socket.destroy(systemError('ECONNREFUSED', 'connect')));
    };
    const attempt = (): void => {
      if (socket.destroyed || from.state === 'dead') return;
      const there = latency();
      if (!link || link.state === 'refused') refuse();
      // In silence, the system tries again until its program gives up.
      else if (there === undefined) this.#world.after(retransmission, attempt);
      else this.#world.after(there, () => this.#accept(socket, { address, port: target.port }, refuse));
    };
    attempt();
    return socket;
  }

  #accept(client: VirtualSocket, to: { readonly address: string; readonly port: number }, refuse: () => void): void {
    const listening = this.#listening.get(`${to.address}:${to.port}`);
    if (!listening || listening.host.state === 'dead') {
      refuse();
      return;
    }
    const { host, server } = listening;
    const link = this.link(host, client.host);
    const latency = () => this.#latency(link, host);
    const accepted = new VirtualSocket(this.#world, host, to, { latency });
    this.#track(accepted);
    this.#serve(server, accepted);
    accepted.join(client);
    client.join(accepted);
    const route = `${client.host.name} ${host.name}`;
    accepted.chopAt = this.#choppedOn(link);
    accepted.onArrival = () => this.#onArrival.get(route)?.(accepted);
    accepted.onAnswer = () => this.#onAnswer.get(route)?.(accepted);
    // The system accepts for a host that is paused, too.
    this.#world.deliver(client.host, latency() ?? 0, () => {
      if (!client.destroyed) client.connected();
    });
    host.receive(() =>
      host.run(() => {
        if (accepted.destroyed) return;
        const { size } = this.#accepted.get(server) ?? { size: 0 };
        if (server.maxConnections !== undefined && size > server.maxConnections) accepted.destroy();
        else server.emit('connection', accepted as unknown as Socket);
      }),
    );
  }

  /** Returns the positions at which the writes of one connection are cut off. */
  #choppedOn(link: Link): (size: number) => number | undefined {
    let last = this.#world.now;
    return (size) => {
      const idle = this.#world.now - last;
      last = this.#world.now;
      const { chop } = link;
      if (!chop || idle < chop.idle || !chop.random.chance(chop.share)) return undefined;
      chop.onBreak();
      return chop.idle > 0 ? 0 : chop.random.between(0, size - 1);
    };
  }

  /** Open connections between two hosts: the ends of the first. */
  between(host: Host, other: Host): VirtualSocket[] {
    return this.connectionsOf(host).filter(({ remoteAddress }) => remoteAddress === other.address);
  }

  /** Milliseconds for the next bytes on a link; undefined where they are lost. */
  #latency({ latency, state, lostFrom }: Link, from: Host): number | undefined {
    if (lostFrom === from.name) return undefined;
    if (state === 'silent') return undefined;
    const [least, most] = latency;
    return least + this.#world.random.next() * (most - least);
  }

  #track(socket: VirtualSocket): void {
    this.#sockets.add(socket);
    const name = `${socket.localAddress}:${socket.localPort}`;
    this.#world.trace('opens', name, socket.host);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#world.trace('closes', `${name} after ${socket.bytesWritten} and ${socket.bytesRead} bytes`, socket.host);
    });
  }

  #serve(server: Server, accepted: VirtualSocket): void {
    const all = this.#accepted.get(server) ?? new Set();
    this.#accepted.set(server, all.add(accepted));
    accepted.once('close', () => {
      all.delete(accepted);
      if (all.size > 0) return;
      this.#accepted.delete(server);
      this.#ending.get(server)?.();
      this.#ending.delete(server);
    });
  }

  #freePort(): number {
    this.#nextPort += 1;
    return this.#nextPort;
  }

  /** The system of a host closes what a dead program has left. */
  #forget(host: Host): void {
    for (const [key, listening] of this.#listening) if (listening.host === host) this.#listening.delete(key);
    for (const socket of this.connectionsOf(host)) socket.cut();
  }
}

const isLoopback = (name: string): boolean => name === 'localhost' || name === '127.0.0.1' || name === '::1';

/** Replaces sockets, listeners and name resolution of the process. */
export function installNetwork(network: () => Network): void {
  const net = require('node:net') as Record<string, unknown> & { readonly Server: { readonly prototype: Server } };
  const connect = (...given: unknown[]): VirtualSocket => {
    const socket = network().connect(targetOf(given));
    const listener = given.at(-1);
    if (typeof listener === 'function') socket.once('connect', listener as () => void);
    return socket;
  };
  Object.assign(net, { connect, createConnection: connect });
  installServers(net.Server.prototype, network);
  installNames(network);
}

/** Parses the arguments of `net.connect`: options, or a port and a host. */
function targetOf([first, second]: readonly unknown[]): Target {
  if (typeof first !== 'object' || first === null)
    return { port: Number(first), host: typeof second === 'string' ? second : 'localhost' };
  const { port, host, hostname } = first as { port?: unknown; host?: string | null; hostname?: string };
  return { port: Number(port), host: host ?? hostname ?? 'localhost' };
}

function installServers(prototype: Server, network: () => Network): void {
  const bound = new WeakMap<Server, { readonly port: number; readonly address: string }>();
  const replaced = {
    listen(this: Server, ...given: unknown[]) {
      const host = currentHost();
      if (!host) throw new Error('no host listens');
      const listener = given.at(-1);
      if (typeof listener === 'function') this.once('listening', listener as () => void);
      const { port } = targetOf(given);
      setImmediate(() => {
        try {
          bound.set(this, { port: network().listen(this, host, port || 0), address: host.address });
          this.emit('listening');
        } catch (error) {
          this.emit('error', error);
        }
      });
      return this;
    },
    close(this: Server, done?: (error?: Error) => void) {
      const wasListening = bound.delete(this);
      if (done) this.once('close', () => done(wasListening ? undefined : new Error('Server is not running.')));
      network().stopListening(this, () => void setImmediate(() => this.emit('close')));
      return this;
    },
    address(this: Server) {
      const at = bound.get(this);
      return at ? { ...at, family: 'IPv4' } : null;
    },
    ref(this: Server) {
      return this;
    },
    unref(this: Server) {
      return this;
    },
  };
  Object.assign(prototype, replaced);
  Object.defineProperty(prototype, 'listening', {
    configurable: true,
    get(this: Server) {
      return bound.has(this);
    },
  });
}

type Found = (error: Error | null, address?: unknown, family?: number) => void;

function installNames(network: () => Network): void {
  const find = (name: string): { readonly address: string; readonly family: number } => {
    const address = isLoopback(name)
      ? '127.0.0.1'
      : (network().resolve(name) ?? (/^[\d.]+$/.test(name) ? name : undefined));
    if (address === undefined) throw systemError('ENOTFOUND', 'getaddrinfo');
    return { address, family: 4 };
  };
  const lookup = (name: string, options: { readonly all?: boolean } | Found, done?: Found): void => {
    const found = typeof options === 'function' ? options : done;
    const all = typeof options === 'object' && options.all === true;
    setImmediate(() => {
      try {
        const one = find(name);
        if (all) found?.(null, [one]);
        else found?.(null, one.address, one.family);
      } catch (error) {
        found?.(error as Error);
      }
    });
  };
  Object.assign(require('node:dns'), { lookup });
  const promised = async (name: string, { all = false } = {}) => (all ? [find(name)] : find(name));
  Object.assign(require('node:dns/promises'), { lookup: promised });
}

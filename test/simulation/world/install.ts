import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Random } from '../../support/random.ts';
import { currentHost } from './hosts.ts';
import { installHttp } from './http.ts';
import { installNetwork, type Network } from './network.ts';
import { VirtualTimer, virtualTimers } from './timers.ts';
import { beginning, type RealFunctions, type World } from './world.ts';

const require = createRequire(import.meta.url);
const { syncBuiltinESMExports } = require('node:module') as typeof import('node:module');

/** Replacements of the process's clock, timers, chance and network. */
export interface Installed {
  readonly real: RealFunctions;
  /** Real milliseconds, for reports. */
  readonly realNow: () => number;
  /** Number of times that `crypto.getRandomValues` was called. */
  readonly fills: () => number;
  /** Makes a world and its network those of the process. */
  use(world: World, network: Network): void;
}

/**
 * Replaces time, timers, chance, sockets and name resolution of this process by virtual ones. Modules of the program must be
 * imported afterwards. A process cannot go back.
 */
export function install(): Installed {
  let world: World | undefined;
  let network: Network | undefined;
  const theWorld = (): World => {
    if (!world) throw new Error('no simulation runs');
    return world;
  };
  /** For modules that take a random value when they are loaded. */
  const loading = new Random(1);
  const realNow = performance.now.bind(performance);
  const real = countImmediates();
  installClock(() => world?.now ?? beginning);
  installTimers(theWorld);
  const fills = installChance(() => world?.random ?? loading);
  installNetwork(() => {
    if (!network) throw new Error('no simulation runs');
    return network;
  });
  installHttp();
  syncBuiltinESMExports();
  return {
    real,
    realNow,
    fills,
    use(nextWorld, nextNetwork) {
      world = nextWorld;
      network = nextNetwork;
    },
  };
}

/** Counts callbacks of `setImmediate`, which stay real: time does not pass meanwhile. */
function countImmediates(): RealFunctions {
  const { setImmediate: real, clearImmediate: clear } = globalThis;
  const waiting = new Set<NodeJS.Immediate>();
  const counted = <Values extends unknown[]>(use: (...values: Values) => void, ...values: Values): NodeJS.Immediate => {
    const immediate = real(() => {
      waiting.delete(immediate);
      use(...values);
    });
    waiting.add(immediate);
    return immediate;
  };
  const nextTurn = <T>(value?: T) => new Promise<T | undefined>((resolve) => void counted(() => resolve(value)));
  const replaced = {
    setImmediate: Object.assign(counted, { [promisify.custom]: nextTurn }),
    clearImmediate(given: NodeJS.Immediate | undefined): void {
      if (given) waiting.delete(given);
      clear(given);
    },
  };
  Object.assign(globalThis, replaced);
  Object.assign(require('node:timers'), replaced);
  Object.assign(require('node:timers/promises'), { setImmediate: nextTurn });
  return { setImmediate: real, pendingImmediates: () => waiting.size };
}

function installClock(now: () => number): void {
  const wallClock = (): number => Math.floor(now()) + (currentHost()?.skew ?? 0);
  const elapsed = (): number => now() - beginning;
  globalThis.Date = new Proxy(Date, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [wallClock()] : given, newTarget),
    apply: (target) => new target(wallClock()).toString(),
    get: (target, name, receiver) => (name === 'now' ? wallClock : Reflect.get(target, name, receiver)),
  });
  Object.defineProperty(performance, 'now', { value: elapsed });
  Object.defineProperty(performance, 'timeOrigin', { value: beginning });
  const nanoseconds = (): bigint => BigInt(Math.round(elapsed() * 1e6));
  const hrtime = ([seconds = 0, nanos = 0]: readonly number[] = []): [number, number] => {
    const between = nanoseconds() - (BigInt(seconds) * 1_000_000_000n + BigInt(nanos));
    return [Number(between / 1_000_000_000n), Number(between % 1_000_000_000n)];
  };
  process.hrtime = Object.assign(hrtime, { bigint: nanoseconds }) as typeof process.hrtime;
  installSqliteClock(wallClock);
}

/** Replaces the clock of SQLite: the function `unixepoch('subsec')`. */
function installSqliteClock(now: () => number): void {
  const { DatabaseSync } = require('node:sqlite') as typeof import('node:sqlite');
  const { exec } = DatabaseSync.prototype;
  const known = new WeakSet<object>();
  DatabaseSync.prototype.exec = function (this: InstanceType<typeof DatabaseSync>, sql: string) {
    if (!known.has(this)) this.function('unixepoch', { varargs: true }, () => now() / 1_000);
    known.add(this);
    return exec.call(this, sql);
  };
}

function installTimers(world: () => World): void {
  const { promises, ...timers } = virtualTimers(world);
  Object.assign(globalThis, timers);
  Object.assign(require('node:timers'), timers);
  Object.assign(require('node:timers/promises'), promises);
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = (): DOMException => new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    new VirtualTimer(world(), ms, false, () => controller.abort(reason()), false);
    return controller.signal;
  };
}

/** Replaces `Math.random` and the random values of `node:crypto`. Returns how often `getRandomValues` was called. */
function installChance(random: () => Random): () => number {
  let fills = 0;
  const nodeCrypto = require('node:crypto') as Record<string, unknown>;
  const fill = <T extends ArrayBufferView>(view: T, offset = 0, size = view.byteLength - offset): T => {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, size);
    for (let at = 0; at < size; at += 1) bytes[at] = random().between(0, 255);
    return view;
  };
  type Done<T> = (error: null, result: T) => void;
  const answered = <T>(result: T, done: Done<T> | undefined): T | undefined => {
    if (!done) return result;
    setImmediate(() => done(null, result));
    return undefined;
  };
  const uuid = (): string => {
    const hex = fill(Buffer.alloc(16)).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Object.assign(nodeCrypto, {
    randomBytes: (size: number, done?: Done<Buffer>) => answered(fill(Buffer.alloc(size)), done),
    randomFillSync: fill,
    randomInt: (low: number, high?: number) =>
      high === undefined ? random().between(0, low - 1) : random().between(low, high - 1),
    randomUUID: uuid,
  });
  Math.random = () => random().next();
  const getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    fills += 1;
    return fill(view);
  };
  Object.assign(crypto, { randomUUID: uuid, getRandomValues });
  return () => fills;
}

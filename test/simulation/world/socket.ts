import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import type { Host } from './hosts.ts';
import { VirtualTimer } from './timers.ts';
import type { World } from './world.ts';

/** Bytes that the other side's system takes before its program reads. */
const windowBytes = 64 * 1024;

/** An error of the system, such as ECONNRESET. */
export const systemError = (code: string, syscall: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -1 });

interface Packet {
  readonly bytes: Buffer;
  /** Called when the other side's system has the bytes. */
  readonly taken: () => void;
}

/** Milliseconds after which the system sends again what was not confirmed. */
export const retransmission = 1_000;

/** Milliseconds that bytes of one connection take; undefined: they are lost. */
export type Latency = () => number | undefined;

/**
 * One end of a virtual connection, with the members of `net.Socket` that programs use. Bytes arrive in order, each after its
 * latency; who does not read holds up the sender after 64 KiB.
 */
export class VirtualSocket extends Duplex {
  readonly host: Host;
  readonly #world: World;
  readonly #latency: Latency;
  remoteAddress: string | undefined;
  remotePort: number | undefined;
  localAddress: string;
  localPort: number;
  connecting: boolean;
  encrypted = false;
  bytesRead = 0;
  bytesWritten = 0;
  timeout = 0;
  /** Called when bytes have arrived. */
  onArrival: (() => void) | undefined;
  /** Called when the program writes, before anything has been sent. */
  onAnswer: (() => void) | undefined;
  #other: VirtualSocket | undefined;
  /** Bytes that have arrived while the program did not read. */
  readonly #arrived: Packet[] = [];
  #arrivedBytes = 0;
  #hasEnded = false;
  #isReading = false;
  #isStalled = false;
  /** Returns the position at which written bytes are cut off, and the connection breaks. Undefined: nowhere. */
  chopAt: ((size: number) => number | undefined) | undefined;
  /** Deliveries that wait for the network, the oldest first. */
  readonly #underWay: ((other: VirtualSocket) => void)[] = [];
  /** Time when the latest bytes arrive at the other side. */
  #arrivesAt = 0;
  #idle: VirtualTimer | undefined;

  constructor(
    world: World,
    host: Host,
    local: { readonly address: string; readonly port: number },
    { latency, connecting = false }: { readonly latency: Latency; readonly connecting?: boolean },
  ) {
    super({ allowHalfOpen: true, emitClose: true });
    this.#world = world;
    this.host = host;
    this.localAddress = local.address;
    this.localPort = local.port;
    this.#latency = latency;
    this.connecting = connecting;
  }

  get readyState(): string {
    if (this.connecting) return 'opening';
    return this.destroyed ? 'closed' : 'open';
  }

  get remoteFamily(): string {
    return 'IPv4';
  }

  get pending(): boolean {
    return this.connecting;
  }

  /** Joins this end with another one. Both are connected from now on. */
  join(other: VirtualSocket): void {
    this.#other = other;
    this.remoteAddress = other.localAddress;
    this.remotePort = other.localPort;
    this.connecting = false;
  }

  /** Whether the other end is closed, and this one has not learned of it. */
  get isHalfOpen(): boolean {
    return this.#other === undefined || this.#other.destroyed;
  }

  /** Ends an attempt to connect. */
  connected(): void {
    this.emit('connect');
    this.emit('ready');
  }

  /** The connection breaks: bytes under way are lost. */
  cut(code = 'ECONNRESET'): void {
    for (const end of [this, this.#other]) {
      const broken = end;
      broken?.host.receive(() => broken.host.run(() => broken.destroy(systemError(code, 'read'))));
    }
  }

  /** This end is closed, and the other one never learns of it: what it sends is lost. */
  vanish(): void {
    this.#other = undefined;
    this.host.receive(() => this.host.run(() => this.destroy(systemError('ETIMEDOUT', 'read'))));
  }

  /** The program does not read for some virtual milliseconds. */
  stall(ms: number): void {
    this.#isStalled = true;
    this.#world.deliver(this.host, ms, () => {
      this.#isStalled = false;
      this.#hand();
    });
  }

  override _read(): void {
    this.#isReading = true;
    this.#hand();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#active();
    if (this.connecting) {
      this.once('connect', () => this._write(chunk, encoding, done));
      return;
    }
    this.onAnswer?.();
    const bytes = Buffer.from(chunk);
    this.bytesWritten += bytes.length;
    const kept = this.chopAt?.(bytes.length);
    if (kept !== undefined) {
      this.#send((other) => {
        if (kept > 0) other.#arrive({ bytes: bytes.subarray(0, kept), taken() {} });
        other.cut();
      });
      return;
    }
    this.#send((other) => other.#arrive({ bytes, taken: () => this.host.receive(() => this.host.run(() => done())) }));
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.connecting) {
      this.once('connect', () => this._final(done));
      return;
    }
    this.#send((other) => other.#end());
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#idle?.close();
    if (this.host.state !== 'dead' && !this.writableEnded) this.#send((other) => other.#end());
    // Bytes that come now are refused.
    for (const { taken } of this.#arrived.splice(0)) taken();
    done(error);
    if (!this.connecting) return;
    this.connecting = false;
  }

  /** Sends something to the other side, behind what was sent before. */
  #send(arrive: (other: VirtualSocket) => void): void {
    if (!this.#other || this.host.state === 'dead') return;
    this.#underWay.push(arrive);
    if (this.#underWay.length === 1) this.#transmit();
  }

  /** Transmits what is under way, one after the other. Data that a silent network drops is sent again. */
  #transmit(): void {
    const other = this.#other;
    if (!other) return;
    for (const arrive of this.#underWay.slice()) {
      const latency = this.#latency();
      if (latency === undefined) {
        if (this.host.state !== 'dead') this.#world.after(retransmission, () => this.#transmit());
        return;
      }
      this.#underWay.shift();
      this.#arrivesAt = Math.max(this.#arrivesAt, this.#world.now + latency);
      const wait = this.#arrivesAt - this.#world.now;
      this.#world.after(wait, () => {
        // The system of a process that has ended refuses what comes for it.
        if (other.host.state === 'dead') this.#world.deliver(this.host, wait, () => this.#reset());
        else other.host.receive(() => other.host.run(() => arrive(other)));
      });
    }
  }

  #arrive(packet: Packet): void {
    if (this.destroyed) {
      this.#refuse();
      return;
    }
    this.#active();
    this.#arrived.push(packet);
    this.#arrivedBytes += packet.bytes.length;
    if (this.#arrivedBytes <= windowBytes) packet.taken();
    this.#hand();
    this.onArrival?.();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#hand();
  }

  #reset(): void {
    if (!this.destroyed) this.destroy(systemError('ECONNRESET', 'read'));
  }

  /** The other side wrote although this one has closed. */
  #refuse(): void {
    this.#send((other) => other.destroy(systemError('ECONNRESET', 'read')));
  }

  /** Hands what has arrived to the program, while it reads. */
  #hand(): void {
    if (this.#isStalled) return;
    while (this.#isReading && this.#arrived.length > 0) {
      const [packet] = this.#arrived.splice(0, 1);
      if (!packet) break;
      const wasFull = this.#arrivedBytes > windowBytes;
      this.#arrivedBytes -= packet.bytes.length;
      this.bytesRead += packet.bytes.length;
      this.#isReading = this.push(packet.bytes);
      if (wasFull) packet.taken();
    }
    if (this.#isReading && this.#hasEnded && this.#arrived.length === 0) {
      this.#isReading = false;
      this.push(null);
    }
  }

  #active(): void {
    if (this.timeout > 0) this.#idle?.refresh();
  }

  setTimeout(ms: number, listener?: () => void): this {
    this.timeout = ms;
    this.#idle?.close();
    this.#idle = ms > 0 ? new VirtualTimer(this.#world, ms, false, () => this.emit('timeout')) : undefined;
    if (listener && ms > 0) this.once('timeout', listener);
    else if (listener) this.off('timeout', listener);
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  address(): AddressInfo {
    return { address: this.localAddress, port: this.localPort, family: 'IPv4' };
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    this.#send((other) => other.destroy(systemError('ECONNRESET', 'read')));
    return this.destroy();
  }
}

import { createHmac } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { percentEncoding } from '../../core/model/shown-url.ts';
import { addressOf, type Channel, type ChannelMessage, type ChannelOptions } from './channel.ts';

/** Milliseconds that connecting may take. */
const connectWithin = 5_000;
/** Milliseconds between two pings of the server. Two of them without an answer end the connection. */
const pingEvery = 3_000;
/** Largest number of bytes of a message, if the server allows more. */
const mostBytes = 1_048_576;
/** Length of the code that authenticates a message. */
const codeLength = 43;

/** The servers of `notifications`, which are one cluster. */
export interface NatsSettings {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** TLS settings. If present, connections must use TLS. */
  readonly tls?: object;
}

/**
 * Parses `nats://USER:PASSWORD@HOST:PORT`, or `tls://` for TLS, with a token in place of user and password, and several
 * servers separated by commas. Throws TypeError with a message that contains no secret.
 */
export function readNatsUrl(text: string): NatsSettings {
  const urls = text.split(',').map((each) => {
    const url = /^(?:nats|tls):\/\/[^/?#]+$/.test(each.trim()) ? URL.parse(each.trim()) : null;
    const expected = 'expected nats://HOST:4222 or tls://HOST:4222, or several separated by commas';
    if (!url?.hostname) throw new TypeError(text.includes('@') ? `${expected}; ${percentEncoding}` : expected);
    return url;
  });
  const logins = new Set(urls.map(({ username, password }) => `${username}:${password}`));
  if (logins.size > 1) throw new TypeError('expected the same user and password, or token, for each server');
  const [user = '', pass = ''] = [urls[0]?.username ?? '', urls[0]?.password ?? ''].map(decoded);
  return {
    servers: urls.map(({ host }) => host),
    ...(pass ? { user, pass } : user ? { token: user } : {}),
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
  };
}

/** A decoded part of a URL; unchanged if it was not encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Opens a channel on the subjects `a2a.ADDRESS` of NATS. Others may use the server too: a message that is too long, or that
 * was not sent by a replica of this store, is dropped.
 */
export async function openNats(settings: NatsSettings, options: ChannelOptions): Promise<Channel> {
  // The package is installed only if notifications use it.
  const { connect } = await import('@nats-io/transport-node');
  // The caller opens another channel when this one ends, in the same way as for other kinds of channels.
  const nats = await connect({
    ...settings,
    name: 'a2a-gateway',
    timeout: connectWithin,
    pingInterval: pingEvery,
    maxPingOut: 1,
    reconnect: false,
    ignoreClusterUpdates: true,
  });
  const channel = new NatsChannel(nats, options);
  await channel.listen();
  return channel;
}

class NatsChannel implements Channel {
  readonly maxBytes: number;
  readonly #nats: NatsConnection;
  readonly #options: ChannelOptions;
  #closed = false;
  /** Rejects the flush in progress. */
  #abandon: (reason: unknown) => void = () => undefined;

  constructor(nats: NatsConnection, options: ChannelOptions) {
    this.#nats = nats;
    this.#options = options;
    this.maxBytes = Math.min(nats.info?.max_payload ?? mostBytes, mostBytes) - codeLength;
  }

  async listen(): Promise<void> {
    const { instance, onMessage } = this.#options;
    void this.#nats.closed().then((reason) => this.#end(reason ?? undefined));
    void this.#watchErrors();
    this.#nats.subscribe(this.#subjectOf(instance), {
      callback: (error, message) => {
        if (error) return void this.#end(error);
        if (message.data.length > this.maxBytes + codeLength) return;
        const code = message.string().slice(0, codeLength);
        const payload = message.string().slice(codeLength);
        if (code === this.#codeOf(instance, payload)) onMessage(payload);
      },
    });
    await this.#flush();
  }

  async publish(messages: readonly ChannelMessage[]): Promise<void> {
    for (const [to, payload] of messages) {
      this.#nats.publish(this.#subjectOf(to), this.#codeOf(to, payload) + payload);
    }
    await this.#flush();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#nats.close();
  }

  /** Ends the channel when an error arrives, such as a subject that this user may not use: no message would arrive any more. */
  async #watchErrors(): Promise<void> {
    for await (const status of this.#nats.status()) if (status.type === 'error') await this.#end(status.error);
  }

  async #end(reason: unknown = new Error('the connection to NATS was lost')): Promise<void> {
    this.#abandon(reason);
    if (this.#closed) return;
    this.#closed = true;
    this.#options.onEnd(reason);
    await this.#nats.close();
  }

  /** Resolves when the server has all that was sent. A flush of NATS alone would never settle after the connection is lost. */
  #flush(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#abandon = reject;
    this.#nats.flush().then(resolve, reject);
    return promise;
  }

  #subjectOf(to: string): string {
    return `a2a.${addressOf(this.#options.secret, to)}`;
  }

  #codeOf(to: string, payload: string): string {
    return createHmac('sha256', this.#options.secret).update(`${to} ${payload}`).digest('base64url');
  }
}

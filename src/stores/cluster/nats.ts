import { createHmac } from 'node:crypto';
import { percentEncoding } from '../../core/model/shown-url.ts';
import { addressOf, type Channel, type ChannelOptions } from './channel.ts';

/** Milliseconds that connecting may take. */
const connectWithin = 5_000;
/** Milliseconds between two pings of the server. Two of them without an answer end the connection. */
const pingEvery = 3_000;
/** Bytes of a message at most, where the server allows more. */
const mostBytes = 1_048_576;
/** Length of the code that authenticates a message. */
const codeLength = 43;

/** The servers of `notifications`, which are one cluster. */
export interface NatsSettings {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Present: connections must use TLS. */
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

/** A part of a URL; as it is where it was not encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * A channel on the subjects `a2a.ADDRESS` of NATS. Others may use the server too: a message that is too long, or that was
 * not sent by a replica of this store, is dropped.
 */
export async function openNats(
  settings: NatsSettings,
  { secret, instance, onMessage, onEnd }: ChannelOptions,
): Promise<Channel> {
  // Installed where notifications go over it.
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
  const maxBytes = Math.min(nats.info?.max_payload ?? mostBytes, mostBytes) - codeLength;
  const subjectOf = (to: string): string => `a2a.${addressOf(secret, to)}`;
  const codeOf = (to: string, payload: string): string =>
    createHmac('sha256', secret).update(`${to} ${payload}`).digest('base64url');
  let closed = false;
  let abandon: (reason: unknown) => void = () => undefined;
  const end = async (reason: unknown = new Error('the connection to NATS was lost')): Promise<void> => {
    abandon(reason);
    if (closed) return;
    closed = true;
    onEnd(reason);
    await nats.close();
  };
  /** Resolves when the server has all that was sent. A flush of NATS alone would never settle after the connection is lost. */
  const flush = (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    abandon = reject;
    nats.flush().then(resolve, reject);
    return promise;
  };
  void nats.closed().then((reason) => end(reason ?? undefined));
  void (async () => {
    // Such as a subject that this user may not use: without it, no message would arrive.
    for await (const status of nats.status()) if (status.type === 'error') await end(status.error);
  })();
  nats.subscribe(subjectOf(instance), {
    callback(error, message) {
      if (error) return void end(error);
      if (message.data.length > maxBytes + codeLength) return;
      const [code, payload] = [message.string().slice(0, codeLength), message.string().slice(codeLength)];
      if (code === codeOf(instance, payload)) onMessage(payload);
    },
  });
  await flush();
  return {
    maxBytes,
    async publish(messages) {
      for (const [to, payload] of messages) nats.publish(subjectOf(to), codeOf(to, payload) + payload);
      await flush();
    },
    async close() {
      closed = true;
      await nats.close();
    },
  };
}

import { createHash } from 'node:crypto';

/** Options with which a replica opens a channel. */
export interface ChannelOptions {
  /** The store's secret, from which addresses are made, so that different stores on one server do not interfere. */
  readonly secret: string;
  /** The replica that receives messages. */
  readonly instance: string;
  /** Called with each message to this replica. Its content is not checked. */
  readonly onMessage: (payload: string) => void;
  /** Called once when the channel is lost, not when it is closed. */
  readonly onEnd: (reason?: unknown) => void;
}

/** A message, and the replica that it is for. */
export type ChannelMessage = readonly [instance: string, payload: string];

/** Carries messages between replicas, each at most once. */
export interface Channel {
  /** Maximum bytes of a payload. */
  readonly maxBytes: number;
  /** Resolves when the server has the messages. Rejects in bounded time if it may not have all of them. */
  publish(messages: readonly ChannelMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a channel. Rejects in bounded time if the server cannot be reached. */
export type OpenChannel = (options: ChannelOptions) => Promise<Channel>;

/** The address of a replica on a server that others may use too. */
export const addressOf = (secret: string, instance: string): string =>
  createHash('sha256').update(`${secret} ${instance}`).digest('hex').slice(0, 40);

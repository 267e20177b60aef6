import type * as z from 'zod';
import { parseSize } from '../../core/model/scalars.ts';
import { count, finite, positive, quantity, section, timeout } from '../schema-parts.ts';

/** Bytes. */
export const size = quantity('a size above zero, such as 10MiB, 512KiB or a number of bytes', (value) =>
  positive(parseSize(value)),
);

const headerSize = quantity('a size from 1KiB to 1MiB, such as 16KiB', (value) => {
  const bytes = parseSize(value);
  return bytes !== undefined && bytes >= 1_024 && bytes <= 1_048_576 ? bytes : undefined;
});

const countOr = (fallback: number) => count.default(fallback).transform(finite);

const mebibyte = 1_048_576;

/** `limits`: what bounds one caller, one request, and the memory of the process. */
export const limits = section('limits', {
  body: size.default(10 * mebibyte),
  headers: headerSize.default(16_384),
  answer: timeout.default(300_000),
  requestTimeout: timeout.default(30_000),
  slowReader: timeout.default(30_000),
  requestsPerMinute: count.optional(),
  streams: count.optional(),
  streamsPerTask: count.optional(),
  page: size.default(8 * mebibyte),
  buffered: size.default(256 * mebibyte),
  state: size.default(mebibyte),
  task: size.default(64 * mebibyte),
  connections: countOr(Number.POSITIVE_INFINITY),
  webhooks: section('bounds on webhooks', {
    perTask: countOr(20),
    perPrincipal: countOr(1_000),
    perMinute: countOr(6_000),
  }).prefault({}),
});

type LimitsInput = z.output<typeof limits>;

/** Bounds that keep the users of a gateway from one another. A gateway that only this machine can reach has none. */
const remoteDefaults = { requestsPerMinute: 600, streams: 100, streamsPerTask: 100 };

/** What bounds one caller, one request, and the memory of the process. Undefined: no bound. */
export interface LimitsConfig {
  /** Bytes of a request body. */
  readonly body: number;
  /** Bytes of a request's headers. */
  readonly headers: number;
  /** Milliseconds that one answer may take. */
  readonly answer: number;
  /** Milliseconds that a request may take to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds that a client may take to read what was sent. */
  readonly slowReader: number;
  /** Requests of one principal, or of one network of anonymous callers. Default: see `remoteDefaults`. */
  readonly requestsPerMinute: number | undefined;
  /** Streams of one principal at the same time. Default: see `remoteDefaults`. */
  readonly streams: number | undefined;
  /** Streams of one task at the same time. Default: see `remoteDefaults`. */
  readonly streamsPerTask: number | undefined;
  /** Bytes of JSON after which a page of a list ends. */
  readonly page: number;
  /** Bytes of large requests and of answers in memory, of all connections together. */
  readonly buffered: number;
  /** Bytes of JSON that an agent keeps for one task, or for one context. */
  readonly state: number;
  /** Bytes of JSON of a task's events. */
  readonly task: number;
  /** Connections at the same time. */
  readonly connections: number | undefined;
  readonly webhooks: {
    /** Push configurations of one task. */
    readonly perTask: number | undefined;
    /** Push configurations of one principal that may still have something to deliver. */
    readonly perPrincipal: number | undefined;
    /** Notifications to one host within a minute. */
    readonly perMinute: number | undefined;
  };
}

/** @param local whether only this machine can reach the gateway */
export function resolveLimits(input: LimitsInput, local: boolean): LimitsConfig {
  const bound = (key: keyof typeof remoteDefaults): number | undefined =>
    finite(input[key] ?? (local ? Number.POSITIVE_INFINITY : remoteDefaults[key]));
  return {
    ...input,
    requestsPerMinute: bound('requestsPerMinute'),
    streams: bound('streams'),
    streamsPerTask: bound('streamsPerTask'),
  };
}

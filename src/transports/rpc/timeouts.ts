import type { Writable } from 'node:stream';
import { readTimeoutFor } from '../listener/slow-readers.ts';

const units = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Milliseconds of a `grpc-timeout`; undefined when it is malformed. */
export function parseGrpcTimeout(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}

/**
 * Waits until the client has read what was written, or is gone. Resolves with false when it reads too slowly.
 *
 * @param timeout milliseconds in which the client must read a mebibyte, or everything where that is less
 */
export function drained(stream: Writable, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (inTime: boolean): void => {
      clearTimeout(timer);
      stream.off('drain', onDrain);
      stream.off('close', onDrain);
      resolve(inTime);
    };
    const onDrain = (): void => settle(true);
    const timer = setTimeout(() => settle(false), readTimeoutFor(stream.writableLength, timeout));
    stream.on('drain', onDrain);
    stream.on('close', onDrain);
  });
}

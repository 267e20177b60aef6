import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Milliseconds for which `expect.poll` waits. */
    waitTimeout: number;
  }
}

/** `vi.waitFor` and `vi.waitUntil` get the timeout of `expect.poll`. */
const { waitFor, waitUntil } = vi;
const timeout = inject('waitTimeout');
const withTimeout = (options: Parameters<typeof waitFor>[1]) =>
  typeof options === 'number' ? options : { timeout, ...options };

vi.waitFor = (callback, options) => waitFor(callback, withTimeout(options));
vi.waitUntil = (callback, options) => waitUntil(callback, withTimeout(options));
